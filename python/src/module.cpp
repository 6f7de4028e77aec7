/// The module clgauss._core: what the package in Python stands on. Shapes and types are checked
/// there.

#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <clgauss/batched.hpp>
#include <clgauss/certify.hpp>
#include <clgauss/complex.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/program.hpp>
#include <clgauss/least_squares.hpp>
#include <clgauss/solve.hpp>
#include <clgauss/vbatched.hpp>
#include <cmath>
#include <optional>
#include <tuple>

#include "at_once.hpp"
#include "complex_factors.hpp"
#include "doubtful_stack.hpp"
#include "factors.hpp"
#include "inverse.hpp"
#include "linalg/solve/methods.hpp"
#include "matrix/fit.hpp"
#include "matrix/scaling.hpp"
#include "matrix/transfer.hpp"
#include "opencl_error.hpp"
#include "parallel.hpp"
#include "session.hpp"

namespace clgauss::python {

namespace {

using namespace nb::literals;

nb::str text(std::string_view of) { return nb::str(of.data(), of.size()); }

Accuracy accuracy_of(const std::string& name) {
  for (const Accuracy accuracy :
       {Accuracy::single_precision, Accuracy::double_precision, Accuracy::maximum})
    if (name == accuracy_name(accuracy)) return accuracy;
  throw UsageError("accuracy is \"single\", \"double\" or \"max\", not \"" + name + "\"");
}

Method method_of(const std::string& name) {
  const auto row = std::ranges::find(all_methods(), name, &MethodRow::name);
  if (row == all_methods().end()) throw UsageError("method is " + name + ", which is none");
  return row->method;
}

nb::dict times_of(const SolveTimes& times) {
  nb::dict parts;
  parts["build"] = times.build;
  parts["upload"] = times.upload;
  parts["forward"] = times.forward;
  parts["backward"] = times.backward;
  parts["download"] = times.download;
  parts["refine"] = times.refine;
  parts["estimate"] = times.trust;
  parts["check"] = times.check;
  parts["free"] = times.free;
  parts["total"] = times.sum();
  return parts;
}

nb::tuple told_inertia(const Inertia& inertia) {
  return nb::make_tuple(inertia.positive, inertia.negative, inertia.zero);
}

nb::dict report_of(const SolveOutcome& solution) {
  nb::dict report;
  report["status"] = text(solve_status_name(solution.status));
  report["failed_column"] = nb::cast(solution.failed_column);
  report["method"] = text(method_name(solution.method));
  report["passed_over"] = text(solution.passed_over);
  report["factors"] =
      text(solution.complex ? complex_type_name(solution.type) : real_type_name(solution.type));
  report["accuracy"] = text(accuracy_name(solution.accuracy));
  report["pivoting"] = text(pivoting_name(solution.pivoting));
  report["pivots"] = nb::cast(solution.pivot_rows);
  report["backward_error"] = solution.residual.backward_error;
  report["scaled_residual"] = solution.residual.scaled;
  report["corrections"] = solution.refinement.corrections();
  report["doubt"] = text(doubt_name(doubt_of(solution)));
  report["rcond"] = solution.trust ? nb::cast(solution.trust->rcond) : nb::none();
  report["forward_error"] = solution.trust ? nb::cast(solution.trust->forward_error) : nb::none();
  report["inertia"] = solution.inertia ? nb::object(told_inertia(*solution.inertia)) : nb::none();
  report["times"] = times_of(solution.times);
  return report;
}

nb::dict report_of(const BatchedSolution& solution) {
  nb::dict report;
  report["status"] = text(solve_status_name(solution.status));
  report["singular"] = nb::cast(solution.singular);
  report["failed_columns"] = nb::cast(solution.failed_columns);
  report["overflowed"] = nb::cast(solution.overflowed);
  report["kernel"] = text(solution.kernel);
  report["backward_error"] = solution.worst.backward_error;
  report["scaled_residual"] = solution.worst.scaled;
  report["worst_system"] = nb::cast(solution.worst_system);
  report["inertias"] = nb::none();
  if (!solution.inertias.empty()) {
    nb::list inertias;
    for (const Inertia& inertia : solution.inertias) inertias.append(told_inertia(inertia));
    report["inertias"] = inertias;
  }
  report["solved_again"] = nb::cast(solution.solved_again);
  report["rcond"] = solution.trust ? nb::cast(solution.trust->worst_rcond) : nb::none();
  report["times"] = times_of(solution.times);
  return report;
}

/// Whether x is there. For the usual case, in which there is nothing to report.
bool solve_small(const std::shared_ptr<Session>& session, const Array& a, const Array& b,
                 const WritableArray& x) {
  const Index n = a.shape(0), nrhs = b.shape(1);
  const DeviceProfile& device = session->context().profile();
  const bool on_host = session->solves_on_host;
  if (n > (on_host ? kLargestOnHost : kLargestSmallSystem) || nrhs > n) return false;
  if (!on_host && !device.fp64) return false;
  if (on_host) {
    const auto answer = solve_on_host(Numbers(a), Numbers(b));
    if (answer) copy_out(*answer, x);
    return answer.has_value();
  }
  std::optional<SmallSolver*> solver;
  bool solved = false;
  const auto attempt = [&](const ProgressCallback&) {
    solver = session->small_solver(n, nrhs);
    solved = solver && *solver != nullptr && (*solver)->solve(a, b, x);
  };
  if (!session->run_at_once(attempt)) return false;
  if (!solver) {
    session->run([=](const ProgressCallback&) { session->make_small_solver(n, nrhs); });
    (void)session->run_at_once(attempt);
  }
  return solved;
}

/// The programs that were built one at a time so far, while everything else waited, each as its
/// file and macros.
nb::list built_alone(Session& session) {
  nb::list programs;
  for (const ProgramRequest& program : session.context().programs().built_alone()) {
    std::string text = program.file;
    for (const auto& [macro, value] : program.defines) text += " " + macro + "=" + value;
    programs.append(text);
  }
  return programs;
}

nb::object solve_one(const std::shared_ptr<Session>& session, const Array& a, const Array& b,
                     const WritableArray& x, const std::string& accuracy, bool report,
                     const std::string& method) {
  SolveOptions options;
  options.method = method_of(method);
  options.accuracy = accuracy_of(accuracy);
  options.trust = report;
  options.doubt = true;
  if (!report && options.method == Method::automatic &&
      options.accuracy == Accuracy::double_precision && solve_small(session, a, b, x))
    return nb::none();
  const auto solution = std::make_shared<Solution>();
  const Session::Kind kind{a.shape(0),
                           b.shape(1),
                           static_cast<Index>(options.method),
                           static_cast<Index>(*options.accuracy),
                           Index{report},
                           Index{lies_by_columns(a)}};
  session->run_as_usual(kind, [=](const ProgressCallback& progress) {
    Context& context = session->context();
    *solution = lies_by_columns(a)
                    ? solve_transposed(context, {to_transposed(a), to_matrix(b)}, options, progress)
                    : solve(context, {to_matrix(a), to_matrix(b)}, options, progress);
    if (has_answer(solution->status)) copy_out(solution->x.values(), x);
  });
  const bool fine = solution->status == SolveStatus::ok && doubt_of(*solution) <= Doubt::none;
  if (!report && fine) return nb::none();
  return report_of(*solution);
}

nb::dict invert_one(const std::shared_ptr<Session>& session, const Array& a,
                    const WritableArray& x) {
  const InverseReport inverse = invert(session, a, x);
  nb::dict report;
  report["failed_column"] = nb::cast(inverse.failed_column);
  report["scaled_residual"] = inverse.scaled_residual;
  report["rcond"] = inverse.rcond;
  return report;
}

/// `complex`: of arrays whose columns are real and imaginary parts. `method`: "cholesky", "ldlt" or
/// else LU.
nb::dict solve_batch(const std::shared_ptr<Session>& session, const Array& a, const Array& b,
                     const WritableArray& x, const std::string& accuracy, bool report, bool complex,
                     const std::string& method) {
  BatchedOptions options;
  options.lu.positive_definite = method == "cholesky";
  options.lu.symmetric = method == "ldlt";
  options.type =
      accuracy_of(accuracy) == Accuracy::single_precision ? RealType::f32 : RealType::f64;
  options.trust = report;
  // Kernels of GPUs that take one right-hand side are the fastest there: a second one is too dear.
  const Index parts = complex ? 2 : 1;
  const bool asks = !report && (session->solves_on_host || b.shape(2) > parts);
  const auto solution = std::make_shared<BatchedSolution>();
  const auto doubtful = std::make_shared<std::optional<Index>>();
  session->run([=](const ProgressCallback& progress) {
    const BatchedSystem system{
        to_batch(a), asks ? with_doubt_question(to_batch(b), parts) : to_batch(b), false, complex};
    *solution = solve_batched(session->context(), system, options, progress);
    if (asks) *doubtful = take_doubtful(system.a, solution->type, parts, solution->x);
    if (is_single(x)) refuse_unfit<float>(*solution);
    copy_out(solution->x.values, x);
  });
  nb::dict told = report_of(*solution);
  told["factors"] =
      text(complex ? complex_type_name(solution->type) : real_type_name(solution->type));
  if (solution->trust && !(solution->trust->worst_rcond >= unit_roundoff(solution->type)))
    *doubtful = solution->trust->worst_system;
  told["doubtful_system"] = nb::cast(*doubtful);
  return told;
}

/// L and D of A_s = L D L^H for every positive definite matrix of a stack, factored in f32 if
/// `single`: L below the diagonal of `packed`, D on it. Returns the first system that must be
/// factored by itself, if there is one: it is not positive definite, or, then 0, some have numbers
/// that need scaling. `packed` is then as it was.
std::optional<Index> factor_definite_batch(const std::shared_ptr<Session>& session, const Array& a,
                                           const WritableArray& packed, bool single, bool complex) {
  const auto failed = std::make_shared<std::optional<Index>>();
  session->run([=](const ProgressCallback&) {
    translate_opencl_errors([&] {
      Context& context = session->context();
      const cl::CommandQueue& queue = context.queue();
      const Batch stack = to_batch(a);
      const Index n = stack.rows, count = stack.count;
      const RealType type = single ? RealType::f32 : RealType::f64;
      if (!fits_range(stack.values, {}, type)) {
        *failed = 0;
        return;
      }
      BatchedLuOptions options;
      options.positive_definite = true;
      options.complex = complex;
      BatchedLu lu(context, type, n, options);
      const cl::Buffer numbers =
                           context.allocate(stack.values.size() * bytes_of(type), "the matrices"),
                       permutation = context.allocate(count * n * sizeof(cl_int), "the pivots"),
                       info = context.allocate(count * sizeof(cl_int), "the outcomes");
      upload_values(context, numbers, type, stack.values);
      static_cast<void>(lu.factor({numbers, 0, n, n * n}, count, permutation, info));
      std::vector<cl_int> outcomes(count);
      queue.enqueueReadBuffer(info, CL_TRUE, 0, count * sizeof(cl_int), outcomes.data());
      const auto bad = std::ranges::find_if(outcomes, [](cl_int outcome) { return outcome != 0; });
      if (bad != outcomes.end())
        *failed = static_cast<Index>(bad - outcomes.begin());
      else
        copy_out(download(queue, numbers, type, stack.values.size()), packed);
    });
  });
  return *failed;
}

/// A report of each system, or None where there is nothing to tell and no report is asked for.
nb::list solve_many(const std::shared_ptr<Session>& session, const std::vector<Array>& a,
                    const std::vector<Array>& b, const std::vector<WritableArray>& x,
                    const std::string& accuracy, bool report) {
  VbatchedOptions options;
  options.accuracy = accuracy_of(accuracy);
  options.doubt = true;
  options.on_host = session->solves_on_host;
  const auto solutions = std::make_shared<std::vector<Solution>>();
  session->run([=](const ProgressCallback& progress) {
    std::vector<System> systems;
    for (Index s = 0; s < a.size(); ++s) systems.push_back({to_matrix(a[s]), to_matrix(b[s])});
    *solutions = solve_vbatched(session->context(), systems, options, progress);
    for (Index s = 0; s < x.size(); ++s) {
      Solution& solution = (*solutions)[s];
      if (!has_answer(solution.status)) continue;
      if (is_single(x[s]) && !fit_in<float>(solution.x.values()))
        solution.status = SolveStatus::overflow;
      else
        copy_out(solution.x.values(), x[s]);
    }
  });
  nb::list told;
  for (const Solution& solution : *solutions) {
    const bool fine = solution.status == SolveStatus::ok && doubt_of(solution) <= Doubt::none;
    told.append(report || !fine ? nb::object(report_of(solution)) : nb::none());
  }
  return told;
}

nb::dict report_of(const LeastSquares& answer) {
  nb::dict report;
  report["status"] = text(least_squares_status_name(answer.status));
  report["factors"] = text(real_type_name(answer.type));
  report["accuracy"] = text(accuracy_name(answer.accuracy));
  report["residual_norms"] = nb::cast(answer.residual_norms);
  report["objective_norms"] = nb::cast(answer.objective_norms);
  report["scaled_residual"] = answer.scaled_residual;
  report["rcond"] = answer.rcond;
  report["rank"] = answer.rank;
  report["nullity"] = answer.nullity;
  report["tolerance"] = answer.tolerance;
  report["corrections"] = answer.corrections;
  report["times"] = times_of(answer.times);
  return report;
}

nb::dict fit(const std::shared_ptr<Session>& session, const Array& a, const Array& b,
             const WritableArray& x, const std::string& accuracy,
             std::optional<double> rank_tolerance, double ridge,
             const std::vector<double>& weights) {
  LeastSquaresOptions options;
  options.rank_tolerance = rank_tolerance;
  options.ridge = ridge;
  options.weights = weights;
  options.accuracy = accuracy_of(accuracy);
  const auto answer = std::make_shared<LeastSquares>();
  session->run([=](const ProgressCallback& progress) {
    *answer = least_squares(session->context(), to_matrix(a), to_matrix(b), options, progress);
    if (!answer->x.empty()) copy_out(answer->x.values(), x);
  });
  return report_of(*answer);
}

nb::dict certificate_of(const Certificate& certificate, nb::dict told) {
  told["proven"] = certificate.proven;
  told["norm_bound"] = certificate.norm_bound;
  told["digits"] = certificate.digits;
  told["norm_digits"] = certificate.norm_digits;
  told["reason"] = certificate.reason;
  return told;
}

/// x, as solve_one() finds it, and what is proven of it: |x_true - x| <= bounds.
nb::dict certify_one(const std::shared_ptr<Session>& session, const Array& a, const Array& b,
                     const WritableArray& x, const WritableArray& bounds,
                     const std::string& accuracy) {
  SolveOptions options;
  options.accuracy = accuracy_of(accuracy);
  options.trust = true;
  const auto solution = std::make_shared<Solution>();
  const auto certificate = std::make_shared<Certificate>();
  session->run([=](const ProgressCallback& progress) {
    const System system{to_matrix(a), to_matrix(b)};
    *solution = solve(session->context(), system, options, progress);
    if (!has_answer(solution->status)) return;
    *certificate = certify(session->context(), system, *solution, {}, progress);
    copy_out(solution->x.values(), x);
    if (certificate->proven) copy_out(certificate->bounds.values(), bounds);
  });
  return certificate_of(*certificate, report_of(*solution));
}

/// The inverse x of a, and what is proven of it. With `complex`, columns are real and imaginary
/// parts.
nb::dict certify_inverse_of(const std::shared_ptr<Session>& session, const Array& a,
                            const WritableArray& x, const WritableArray& bounds, bool complex) {
  const auto inverse = std::make_shared<InverseOutcome>();
  const auto certificate = std::make_shared<Certificate>();
  session->run([=](const ProgressCallback& progress) {
    Context& context = session->context();
    const auto prove = [&](const auto& of_a, const auto& made, std::span<const double> numbers) {
      *inverse = made;
      if (!has_answer(made.status)) return;
      *certificate = certify_inverse(context, of_a, made.x, {}, progress);
      copy_out(numbers, x);
      if (certificate->proven) copy_out(certificate->bounds.values(), bounds);
    };
    if (complex) {
      const ComplexMatrix of_a(to_matrix(a));
      const ComplexInverse made = invert_complex(context, of_a, {}, progress);
      prove(of_a, made, made.x.parts().values());
    } else {
      const Matrix of_a = to_matrix(a);
      const Inverse made = clgauss::invert(context, of_a, {}, progress);
      prove(of_a, made, made.x.values());
    }
  });
  nb::dict told;
  told["status"] = text(solve_status_name(inverse->status));
  told["failed_column"] = nb::cast(inverse->failed_column);
  return certificate_of(*certificate, std::move(told));
}

nb::dict told_of(const DeterminantEnclosure& enclosure) {
  nb::dict told;
  told["proven"] = enclosure.proven;
  told["log10_low"] = enclosure.log10_low;
  told["log10_high"] = enclosure.log10_high;
  told["norm_bound"] = enclosure.norm_bound;
  told["reason"] = enclosure.reason;
  return told;
}

/// With `complex`, columns are real and imaginary parts, and the sign is a phase.
nb::dict certify_determinant_of(const std::shared_ptr<Session>& session, const Array& a,
                                bool complex) {
  const auto real = std::make_shared<DeterminantCertificate>();
  const auto phased = std::make_shared<ComplexDeterminantCertificate>();
  session->run([=](const ProgressCallback& progress) {
    Context& context = session->context();
    if (complex)
      *phased = certify_determinant(context, ComplexMatrix(to_matrix(a)), {}, progress);
    else
      *real = certify_determinant(context, to_matrix(a), {}, progress);
  });
  nb::dict told = complex ? told_of(*phased) : told_of(*real);
  if (complex) {
    told["sign"] = phased->phase;
    told["sign_bound"] = phased->phase_bound;
  } else {
    told["sign"] = real->sign;
    told["sign_bound"] = real->proven ? 0 : HUGE_VAL;
  }
  return told;
}

/// certify_one() of arrays whose columns are real and imaginary parts; bounds are of moduli.
nb::dict certify_complex_one(const std::shared_ptr<Session>& session, const Array& a,
                             const Array& b, const WritableArray& x, const WritableArray& bounds,
                             const std::string& accuracy) {
  SolveOptions options;
  options.accuracy = accuracy_of(accuracy);
  options.trust = true;
  const auto solution = std::make_shared<ComplexSolution>();
  const auto certificate = std::make_shared<Certificate>();
  session->run([=](const ProgressCallback& progress) {
    const ComplexSystem system{ComplexMatrix(to_matrix(a)), ComplexMatrix(to_matrix(b))};
    *solution = solve_complex(session->context(), system, options, progress);
    if (!has_answer(solution->status)) return;
    *certificate = certify(session->context(), system, *solution, {}, progress);
    copy_out(solution->x.parts().values(), x);
    if (certificate->proven) copy_out(certificate->bounds.values(), bounds);
  });
  return certificate_of(*certificate, report_of(*solution));
}

/// det A_s = mantissa * 2^exponent of every matrix of a stack, by the host's LU.
void determinants_on_host(const Array& a, const WritableArray& mantissas,
                          const WritableArray& exponents) {
  const Batch stack = to_batch(a);
  auto* const mantissa = static_cast<double*>(mantissas.data());
  auto* const exponent = static_cast<std::int64_t*>(exponents.data());
  const Index n = stack.rows;
  const nb::gil_scoped_release no_gil;
  const Index grain = kElementsPerThread / std::max<Index>(n * n * n, 1) + 1;
  in_parallel(stack.count, grain, [&](Index first, Index last) {
    for (Index s = first; s < last; ++s) {
      const Determinant det = determinant_on_host(stack.matrix(s), n);
      mantissa[s] = det.mantissa;
      exponent[s] = det.exponent;
    }
  });
}

/// Of arrays whose columns are real and imaginary parts.
nb::dict solve_complex_one(const std::shared_ptr<Session>& session, const Array& a, const Array& b,
                           const WritableArray& x, const std::string& accuracy, bool report,
                           const std::string& method) {
  SolveOptions options;
  options.accuracy = accuracy_of(accuracy);
  options.trust = report;
  options.doubt = true;
  options.method = method_of(method);
  const auto solution = std::make_shared<ComplexSolution>();
  session->run([=](const ProgressCallback& progress) {
    const ComplexSystem system{ComplexMatrix(to_matrix(a)), ComplexMatrix(to_matrix(b))};
    *solution = solve_complex(session->context(), system, options, progress);
    if (has_answer(solution->status)) copy_out(solution->x.parts().values(), x);
  });
  return report_of(*solution);
}

nb::dict describe(const DeviceProfile& device) {
  nb::dict description;
  description["spec"] = device.spec;
  description["name"] = device.name;
  description["platform"] = device.platform_name;
  description["vendor"] = device.vendor;
  description["type"] = text(device_type_name(device.type));
  description["driver"] = device.driver_version;
  description["compute_units"] = device.compute_units;
  description["global_mem_bytes"] = device.global_mem_bytes;
  description["fp64"] = device.fp64;
  return description;
}

nb::list devices() {
  require_first_process();
  const std::vector<Device> present = [] {
    const nb::gil_scoped_release no_gil;
    return list_devices();
  }();
  nb::list all;
  for (const Device& device : present) all.append(describe(device.profile));
  return all;
}

/// Errors of the library as those of Python's. DeviceError is the package's own.
void register_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      nb::object type;
      switch (error.error_code()) {
        case ErrorCode::usage:
        case ErrorCode::input:
          type = nb::borrow(PyExc_ValueError);
          break;
        case ErrorCode::out_of_memory:
          type = nb::borrow(PyExc_MemoryError);
          break;
        case ErrorCode::singular:
          type = nb::module_::import_("numpy.linalg").attr("LinAlgError");
          break;
        case ErrorCode::no_device:
        case ErrorCode::opencl:
        case ErrorCode::stopped:
          type = nb::module_::import_("clgauss._native").attr("DeviceError");
          break;
      }
      PyErr_SetString(type.ptr(), error.what());
    }
  });
}

Place place_of(std::uintptr_t memory, Index offset, Index ld, const std::string& type) {
  return {memory, offset, ld,
          type == real_type_name(RealType::f32) ? RealType::f32 : RealType::f64};
}

}  // namespace

NB_MODULE(_core, module) {
  register_errors();
  module.attr("largest_batched_system") = kLargestBatchedSystem;
  module.attr("largest_complex_batched_system") = kLargestComplexBatchedSystem;
  module.attr("largest_symmetric_batched_system") = kLargestSymmetricBatchedSystem;
  module.attr("largest_small_system") = kLargestSmallSystem;
  module.def("devices", &devices);
  module.def("determinants_on_host", &determinants_on_host, "a"_a, "mantissas"_a, "exponents"_a);
  module.def(
      "kernel_source", [](const std::string& name) { return kernel_source(name, {}); }, "name"_a);
  module.attr("largest_on_host") = kLargestOnHost;
  module.def("wait_for_abandoned_work", &wait_for_abandoned_work);

  nb::class_<Session>(module, "Session")
      .def(nb::new_([](const std::string& spec) {
             const nb::gil_scoped_release no_gil;
             return std::make_shared<Session>(spec);
           }),
           "spec"_a)
      .def_static(
          "on_queue",
          [](std::uintptr_t queue) {
            const nb::gil_scoped_release no_gil;
            return std::make_shared<Session>(queue);
          },
          "queue"_a)
      .def_prop_ro("device", [](Session& session) { return describe(session.context().profile()); })
      .def(
          "same_queue",
          [](Session& session, std::uintptr_t queue) {
            return session.context().queue()() == reinterpret_cast<cl_command_queue>(queue);
          },
          "queue"_a)
      .def_prop_ro("built_alone", &built_alone)
      .def_rw("solves_on_host", &Session::solves_on_host)
      .def_rw("takes_all_for_quick", &Session::takes_all_for_quick)
      .def("solve_at_once", &solve_at_once, "a"_a.none(), "b"_a.none())
      .def("invert_at_once", &invert_at_once, "a"_a.none())
      .def("invert", &invert_one, "a"_a, "x"_a)
      .def("solve", &solve_one, "a"_a, "b"_a, "x"_a, "accuracy"_a, "report"_a, "method"_a)
      .def("certify", &certify_one, "a"_a, "b"_a, "x"_a, "bounds"_a, "accuracy"_a)
      .def("certify_inverse", &certify_inverse_of, "a"_a, "x"_a, "bounds"_a, "complex"_a)
      .def("certify_determinant", &certify_determinant_of, "a"_a, "complex"_a)
      .def("certify_complex", &certify_complex_one, "a"_a, "b"_a, "x"_a, "bounds"_a, "accuracy"_a)
      .def("solve_complex", &solve_complex_one, "a"_a, "b"_a, "x"_a, "accuracy"_a, "report"_a,
           "method"_a)
      .def("least_squares", &fit, "a"_a, "b"_a, "x"_a, "accuracy"_a, "rank_tolerance"_a.none(),
           "ridge"_a, "weights"_a)
      .def("solve_many", &solve_many, "a"_a, "b"_a, "x"_a, "accuracy"_a, "report"_a)
      .def("factor_definite_batch", &factor_definite_batch, "a"_a, "packed"_a, "single"_a,
           "complex"_a)
      .def("solve_batch", &solve_batch, "a"_a, "b"_a, "x"_a, "accuracy"_a, "report"_a, "complex"_a,
           "method"_a);

  nb::class_<Factors>(module, "Factors")
      .def(nb::init<std::shared_ptr<Session>, const Array&, bool>(), "session"_a, "a"_a,
           "positive_definite"_a)
      .def_static(
          "in_place",
          [](std::shared_ptr<Session> session, std::uintptr_t memory, Index offset, Index ld,
             const std::string& type, Index n) {
            return Factors(std::move(session), place_of(memory, offset, ld, type), n);
          },
          "session"_a, "memory"_a, "offset"_a, "ld"_a, "type"_a, "n"_a)
      .def_prop_ro("failed_column", &Factors::failed_column)
      .def("solve", &Factors::solve, "b"_a, "x"_a, "transposed"_a)
      .def(
          "solve_in_place",
          [](Factors& factors, std::uintptr_t memory, Index offset, Index ld,
             const std::string& type, Index columns, bool transposed) {
            factors.solve_in_place(place_of(memory, offset, ld, type), columns, transposed);
          },
          "memory"_a, "offset"_a, "ld"_a, "type"_a, "columns"_a, "transposed"_a)
      .def("determinant",
           [](Factors& factors) {
             const Determinant det = factors.determinant();
             return std::pair(det.mantissa, det.exponent);
           })
      .def("rcond", &Factors::rcond)
      .def("is_doubtful", &Factors::is_doubtful)
      .def("pivots", &Factors::pivots)
      .def("packed", &Factors::packed, "out"_a);

  nb::class_<ComplexFactors>(module, "ComplexFactors")
      .def(nb::init<std::shared_ptr<Session>, const Array&, bool, bool>(), "session"_a, "a"_a,
           "single"_a, "positive_definite"_a)
      .def_prop_ro("failed_column", &ComplexFactors::failed_column)
      .def("solve", &ComplexFactors::solve, "b"_a, "x"_a, "transposed"_a)
      .def("determinant",
           [](const ComplexFactors& factors) {
             const ComplexDeterminant det = factors.determinant();
             return std::pair(det.mantissa, det.exponent);
           })
      .def("rcond", &ComplexFactors::rcond)
      .def("is_doubtful", [](const ComplexFactors&) { return true; })  // rcond itself tells
      .def("pivots", &ComplexFactors::pivots)
      .def("packed", &ComplexFactors::packed, "out"_a);
}

}  // namespace clgauss::python
