#include "tuner/layer/kernel_text.hpp"

#include <doctest/doctest.h>

#include <clgauss/lab/program.hpp>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "support/paths.hpp"
#include "support/process.hpp"

namespace clgauss::layer {

namespace {

using Macros = std::vector<std::pair<std::string, std::string>>;

const Macros kDevice{{"__OPENCL_VERSION__", "120"}, {"cl_khr_fp64", "1"}};

enum class Hidden { nothing, size, both };

Hidden hidden(const KernelText& text) {
  CHECK((text.reason.empty()) == (text.split_is_hidden));
  if (text.split_is_hidden) {
    CHECK(text.size_is_hidden);
    return Hidden::both;
  }
  return text.size_is_hidden ? Hidden::size : Hidden::nothing;
}

Hidden judged(const std::string& text, const std::string& options = {},
              const Macros& macros = kDevice) {
  INFO(text);
  const KernelText result = kernel_text({text}, options, "k", macros);
  INFO(result.reason);
  return hidden(result);
}

/// Of a kernel with that body, behind `before`.
Hidden body(const std::string& statements, const std::string& before = {},
            const std::string& options = {}) {
  return judged(
      before + "\nkernel void k(global float* a, global int* n) {\n" + statements + "\n}\n",
      options);
}

std::string reason(const std::string& text, const std::string& options = {}) {
  return kernel_text({text}, options, "k", kDevice).reason;
}

/// Hides a call behind macros and functions, one in the other, and what looks like them.
class Hiding {
 public:
  explicit Hiding(unsigned seed) : random_(seed) {}

  /// A program whose kernel k reaches `call` of two halves, "get_lo" and "cal_id".
  std::string program(const std::string& left, const std::string& right) {
    before_ = "#define PASTE_(a, b) a##b\n#define PASTE(a, b) PASTE_(a, b)\n";
    std::string use = chance(50) ? left + right + "(0)" : "PASTE(" + left + ", " + right + ")(0)";
    for (int depth = up_to(8); depth >= 0; --depth) use = layer(use, left + right);
    return before_ + noise() + "kernel void k(global int* a) {\n  " + noise() + "  a[0] = " + use +
           ";\n}\n";
  }

 private:
  int up_to(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool chance(int percent) { return up_to(100) < percent; }
  std::string next(const char* stem) { return stem + std::to_string(count_++); }

  /// What reaches `use`.
  std::string layer(const std::string& use, const std::string& name) {
    const std::string m = next("m"), f = next("f");
    switch (up_to(9)) {
      case 0:
        before_ += "#define " + m + " \\\n" + use + "\n";
        return m;
      case 1:
        before_ += "#define " + m + "(x, ...) (x " + use + ")\n";
        return m + "(1 +, 2, 3)";
      case 2:
        before_ += "#define " + m + "(x) x\n";
        return m + "(" + m + "(" + use + "))";
      case 3:
        before_ += "int " + f + "(int x);\nint " + f + "(int x) { return x + " + use + "; }\n";
        return f + "(1)";
      case 4:
        before_ += "int " + f + "(int x) { return x + " + use + "; }\n#define " + m + "(n) " +
                   "PASTE(f, n)\n";
        return m + "(" + f.substr(1) + ")(2)";
      case 5:
        before_ += "#if defined(" + m + ") || !" + m + "\n#define " + m + "(x) " + use +
                   "\n#else\n#define " + m + "(x) x\n#endif\n";
        return m + "(get_global_id(0))";
      case 6:
        before_ += "#define " + m + " 1\n#undef " + m + "\n#define " + m + "(x, y) y\n";
        return m + "(\"" + name + "\", " + use + ")";
      case 7:
        before_ += "#define KERNEL_" + m + "(name) int name(int x) { return " + use +
                   "; }\nKERNEL_" + m + "(" + f + ")\n";
        return "(int)(" + f + " /* ( */ (3))";
      default:
        before_ += "typedef struct { int x; } " + m + ";\nstatic inline int " + f + "(" + m +
                   " s) {\n  switch (s.x) { default: return " + use + "; }\n}\n";
        return f + "((" + m + "){1})";
    }
  }

  std::string noise() {
    static const std::vector<std::string> texts{"// get_local_id(0) \\\n barrier(0)\n",
                                                "/* local int x; */\n",
                                                "#line 7 \"barrier\"\n",
                                                "#if 0\n barrier(0) can't \n#endif\n",
                                                "#define UNUSED get_local_id(0)\n",
                                                "\n"};
    return texts[static_cast<std::size_t>(up_to(static_cast<int>(texts.size())))];
  }

  std::mt19937 random_;
  std::string before_;
  int count_ = 0;
};

/// Of a kernel file of clgauss with that macros.
Hidden of_file(const std::string& file, const std::string& kernel,
               const std::string& options = {}) {
  CAPTURE(file);
  CAPTURE(kernel);
  const KernelText result = kernel_text({kernel_source(file, test::kernel_folder())},
                                        "-cl-std=CL1.2 -DREAL_BITS=32 " + options, kernel, kDevice);
  INFO(result.reason);
  return hidden(result);
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("kernel_text: what plain kernels show") {
  CHECK(body("a[get_global_id(0)] *= 2.0f;") == Hidden::both);
  CHECK(body("const size_t i = get_global_id(0); float4 v = (float4)(1.0f, 2.0f, a[i], 0);\n"
             "if (i < get_work_dim()) (a)[i] = dot(v, convert_float4_rte(as_int4(v)));\n"
             "for (int j = 0; j < 3; ++j) vstore4(vload4(j, a), j, a);") == Hidden::both);
  CHECK(body("a[get_global_id(0) + get_global_size(0)] = 0;") == Hidden::size);
  CHECK(body("a[get_global_id(0) - get_global_offset(0)] = 0;") == Hidden::size);
  CHECK(body("a[get_global_linear_id()] = 0;") == Hidden::size);
  for (const char* telling :
       {"get_local_id(0)", "get_local_size(1)", "get_local_linear_id()", "get_group_id(0)",
        "get_num_groups(0)", "get_enqueued_local_size(0)", "get_sub_group_size()",
        "get_max_sub_group_size()", "get_num_sub_groups()", "sub_group_reduce_add(1)",
        "intel_sub_group_shuffle(1, 2)", "work_group_all(1)", "work_group_scan_inclusive_add(1)"}) {
    CAPTURE(telling);
    CHECK(body("a[0] = " + std::string(telling) + ";") == Hidden::nothing);
  }
  for (const char* telling :
       {"barrier(CLK_GLOBAL_MEM_FENCE)", "mem_fence(CLK_GLOBAL_MEM_FENCE)", "local float t[4]",
        "__local int t", "printf(\"x\")", "wait_group_events(1, 0)", "sub_group_barrier(1)",
        "event_t e = async_work_group_copy(a, a, 1, 0)", "asm(\"\")", "__asm__ volatile(\"\")",
        "atomic_work_item_fence(1, 2, 3)", "enqueue_kernel(get_default_queue(), 0, 0, 0)",
        "unknown_of_some_vendor(1)", "__builtin_ptx_read_tid_x()", "__get_local_id(0)",
        "__spirv_BuiltInLocalInvocationId()", "int x = __builtin_local_id"}) {
    CAPTURE(telling);
    CHECK(body(std::string(telling) + ";") == Hidden::nothing);
  }
  CHECK(judged("kernel void k(global float* a, local float* t) { a[0] = 1; }") == Hidden::nothing);
  CHECK(judged("kernel void k(read_only image2d_t i, write_only image2d_t o, sampler_t s) {\n"
               "  int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
               "  write_imagef(o, p, read_imagef(i, s, p)); }") == Hidden::both);
}

TEST_CASE("kernel_text: attributes") {
  const auto attribute = [](const std::string& text) {
    return judged("__kernel " + text + " void k(global float* a) { a[get_global_id(0)] = 1; }");
  };
  CHECK(attribute("__attribute__((vec_type_hint(float4)))") == Hidden::both);
  CHECK(attribute("__attribute__((reqd_work_group_size(8, 8, 1)))") == Hidden::nothing);
  CHECK(attribute("__attribute__((work_group_size_hint(8, 8, 1)))") == Hidden::nothing);
  CHECK(attribute("__attribute__((vec_type_hint(int), reqd_work_group_size(1, 1, 1)))") ==
        Hidden::nothing);
  CHECK(attribute("__attribute__((intel_reqd_sub_group_size(16)))") == Hidden::nothing);
  CHECK(attribute("__attribute__((something_new))") == Hidden::nothing);
  CHECK(attribute("[[something::new]]") == Hidden::nothing);
  CHECK(judged("kernel void k(global float*) __attribute__((reqd_work_group_size(1, 1, 1)));\n"
               "kernel void k(global float* a) { a[0] = 1; }") == Hidden::nothing);
  CHECK(body("a[0] = f(0);", "int f(uint) __attribute__((alias(\"get_local_id\")));") ==
        Hidden::nothing);
  CHECK(
      body("a[0] = f(0);", "int f(uint) __asm__(\"get_local_id\");\nint f(uint i) { return i; }") ==
      Hidden::nothing);
  CHECK(body("struct S { char c; int i; } __attribute__((packed)) s; s.i = 1; a[0] = s.i;",
             "typedef struct { int x; } __attribute__((aligned(16))) T;") == Hidden::both);
}

TEST_CASE("kernel_text: waiting for another work-item") {
  CHECK(body("atomic_inc(n);") == Hidden::size);
  CHECK(body("n[atomic_inc(n)] = 1;") == Hidden::size);
  CHECK(body("for (int i = 0; i < 9; ++i) { atomic_add(n + i, 1); }") == Hidden::size);
  CHECK(body("while (atomic_cmpxchg(n, 0, 1) != 0) {} n[1] = 1; atomic_xchg(n, 0);") ==
        Hidden::nothing);  // a lock: work-items that share a group may wait for ever
  CHECK(body("for (; atomic_or(n, 0) == 0;) ;") == Hidden::nothing);
  CHECK(body("for (;atomic_or(n, 0);) ;") == Hidden::nothing);
  CHECK(body("again: if (atomic_or(n, 0)) goto again;") == Hidden::nothing);
  CHECK(body("global volatile int* flag = n; while (*flag == 0) ;") == Hidden::nothing);
  CHECK(body("global atomic_int* flag = 0; while (*flag == 0) ;") == Hidden::nothing);
  CHECK(body("while (seen(n)) ;", "int seen(global int* n) { return atom_or(n, 0); }") ==
        Hidden::nothing);
}

TEST_CASE("kernel_text: names made by macros") {
  CHECK(body("a[P(ge, t_num_groups)(0)] = 1;", "#define P(a, b) a##b") == Hidden::nothing);
  CHECK(body("a[P(ge, P2(t_num, _groups))(0)] = 1;",
             "#define P2(a, b) a##b\n#define P1(a, b) a##b\n#define P(a, b) P1(a, b)") ==
        Hidden::nothing);
  CHECK(body("a[P(get, global_id)(0)] = 1;", "#define P(a, b) a##_##b") == Hidden::both);
  CHECK(body("float4 v = P(convert_, P2(float, 4))(vload4(0, a)); a[P(x, INT_MAX)] = P(s, in)(1);",
             "#define P2(a, b) a##b\n#define P(a, b) P2(a, b)") == Hidden::nothing);  // INT_MAX
  CHECK(body("T4 v = P(convert_, T4)(P(vload, 4)(0, a)); a[0] = P(s, in)(1);",
             "#define P2(a, b) a##b\n#define P(a, b) P2(a, b)\n#define T4 P(float, 4)") ==
        Hidden::both);
  CHECK(body("a[get_global_id(0)] = 1;", "#define get_global_id get_local_id") == Hidden::nothing);
  CHECK(body("a[get_local_id(0)] = 1;", "#define get_local_id get_global_id") == Hidden::both);
  CHECK(body("a[get_global_id(0)] = 1;", {}, "-Dget_global_id=get_local_id") == Hidden::nothing);
  CHECK(body("a[where(0)] = 1;", {}, "-D where=get_local_id -w") == Hidden::nothing);
  CHECK(body("a[where(0)] = 1;", {}, "-D where(x)=get_global_id(x)") == Hidden::both);
  CHECK(body("a[get_global_id(0)] = 1;", "#define get_global_id(x) get_global_id(x)") ==
        Hidden::both);
  CHECK(body("a[F(0)] = 1;", "#define F get_global_id\n#undef F\n#define F get_local_id") ==
        Hidden::nothing);
  CHECK(body("a[F(0)] = 1;", "#define F get_local_id\n#undef F\n#define F get_global_id") ==
        Hidden::both);
  CHECK(body("a[LAST(get_global_id, get_local_id)(0)] = 1;", "#define LAST(x, ...) __VA_ARGS__") ==
        Hidden::nothing);
  CHECK(body("a[LAST(get_local_id, get_global_id)(0)] = 1;", "#define LAST(x, ...) __VA_ARGS__") ==
        Hidden::both);
  CHECK(body("a[f1(0)] = 1;",
             "#define f1(x) f2(x)\n#define f2(x) f3(x)\nint f3(int x) { return G(x); }\n"
             "#define G(x) P(x)\n") == Hidden::nothing);
  CHECK(
      judged("#define KERNEL(name) kernel void name(global float* a) { a[get_local_id(0)] = 1; }\n"
             "KERNEL(k)") == Hidden::nothing);
  CHECK(
      judged("#define KERNEL(name) kernel void name(global float* a) { a[get_global_id(0)] = 1; }\n"
             "KERNEL(k) KERNEL(other)") == Hidden::both);
}

TEST_CASE("kernel_text: text that looks like something else") {
  CHECK(body("// get_local_id(0)\n/* barrier(0); */ a[get_global_id(0)] = 1;") == Hidden::both);
  CHECK(body("// a comment \\\n get_local_id(0);\n a[0] = 1;") == Hidden::both);
  CHECK(body("a[get_local/**/_id(0)] = 1;") == Hidden::nothing);
  CHECK(body("a[get_loc\\\nal_id(0)] = 1;") == Hidden::nothing);
  CHECK(body("a[get_loc\\\r\nal_id(0)] = 1;") == Hidden::nothing);
  CHECK(body("a[get_loc\\ \nal_id(0)] = 1;") == Hidden::nothing);
  CHECK(body("a[0] = 1; // what?\?/\n a[1] = get_global_id(0);") == Hidden::nothing);
  CHECK(body("a[0] = 1 ?\?' 2;") == Hidden::nothing);
  CHECK(body("constant char* s = \"get_local_id(0) /* \"; a[0] = s[0];") == Hidden::both);
  CHECK(body("char c = '\"'; a[0] = get_local_id(0); c = '\"';") == Hidden::nothing);
  CHECK(body("a<:0:> = 1;") == Hidden::nothing);
  CHECK(body("a[0] = 1;", "%:define x 1") == Hidden::nothing);
  CHECK(body("a[0] = 1;\n#if 0\n%:else\nget_local_id(0);\n#endif") == Hidden::nothing);
  CHECK(body("a[0] = 1;\n#if 0\n?\?=else\nget_local_id(0);\n#endif") == Hidden::nothing);
  CHECK(body("a[0] = n\n? 1\n: 2;") == Hidden::both);
  CHECK(body("a[0] = get\\u005flocal_id(0);") == Hidden::nothing);
  CHECK(body("a[0] = 1;", "#line 1000 \"get_local_id\"") == Hidden::both);
  CHECK(holds(reason("#line 1000 \"other.cl\"\n\nkernel void k() { get_local_id(0); }"), "line 3"));
  CHECK(body("a[P(get_, __LINE__)(0)] = 1;", "#define P(x, y) Q(x, y)\n#define Q(x, y) x##y") ==
        Hidden::nothing);
  CHECK(body("constant char* s = __FILE__; a[__LINE__] = s[0];") == Hidden::both);
  CHECK(body("a[0] = 1;", std::string("int x;\0", 7)) == Hidden::nothing);
  CHECK(body("a[0] = 1;\r int i = 0;") == Hidden::nothing);
  CHECK(body("a[0] = 1;", "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n_Pragma(\"unroll\")") ==
        Hidden::both);
  CHECK(body("a[0] = 1;", "#pragma push_macro(\"x\")") == Hidden::nothing);
  CHECK(body("a[0] = 1;", "void f() { _Pragma(\"push_macro(\\\"x\\\")\") }") == Hidden::nothing);
  CHECK(body("a[0] = 1;", "#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable") ==
        Hidden::nothing);
}

TEST_CASE("kernel_text: calls that are no plain names") {
  CHECK(body("a[(get_local_id)(0)] = 1;") == Hidden::nothing);
  CHECK(body("a[(unknown)(0)] = 1;") == Hidden::nothing);
  CHECK(body("a[(&unknown)(0)] = 1;") == Hidden::nothing);
  CHECK(body("a[(*unknown)(0)] = 1;") == Hidden::nothing);
  CHECK(body("a[(0, unknown)(0)] = 1;") == Hidden::nothing);
  CHECK(body("size_t (*f)(uint) = unknown; a[f(0)] = 1;") == Hidden::nothing);
  CHECK(body("size_t (*f)(uint) = &get_local_id; a[0] = 1;") == Hidden::nothing);
  CHECK(body("a[call(unknown)] = 1;", "int call(int (*dot)(int)) { return dot(0); }") ==
        Hidden::nothing);
  CHECK(body("a[call(unknown)] = 1;",
             "typedef int dot_t(int);\nint call(dot_t* dot) { return dot(0); }") ==
        Hidden::nothing);
  CHECK(body("size_t (*f[1])(uint) = {unknown}; a[f[0](0)] = 1;") == Hidden::nothing);
  CHECK(body("int (^b)(int) = ^(int x) { return unknown(x); }; a[0] = b(1);") == Hidden::nothing);
  CHECK(body("a[0] = ({ unknown; })(0);") == Hidden::nothing);
  CHECK(body("__typeof__(unknown)* f = unknown;") == Hidden::nothing);
  CHECK(body("a[0] = (float)(1) + (T)(2) + (struct S*)(0) + sizeof(float);\n"
             "if (a[0]) (a[1])++; else while (a[2]) (a[2])--;",
             "typedef float T; struct S { int x; };") == Hidden::both);
}

TEST_CASE("kernel_text: functions of the text") {
  const std::string dot = "float dot(float x, float y) { return x * y + get_local_id(0); }\n";
  CHECK(body("a[0] = dot(a[1], a[2]);") == Hidden::both);
  CHECK(body("a[0] = dot(a[1], a[2]);", dot) == Hidden::nothing);
  CHECK(body("a[0] = dot(a[1], a[2]);", "__attribute__((overloadable)) " + dot) == Hidden::nothing);
  CHECK(body("a[0] = 1;", dot) == Hidden::both);  // not reached
  CHECK(body("a[0] = f(1);", "int f(int);") == Hidden::nothing);
  CHECK(body("extern int f(int); a[0] = f(1);") == Hidden::nothing);
  CHECK(body("a[0] = f(1);",
             "int f(int); int f(int x) { return g(x); } int g(int x) { return x; }") ==
        Hidden::both);
  CHECK(body("a[0] = f(1);",
             "int g(int x) { barrier(x); return x; } int f(int x) { return g(x); }") ==
        Hidden::nothing);
  CHECK(body("a[0] = f(a);", "float f(global float* p) { return p[get_global_size(0)]; }") ==
        Hidden::size);
  CHECK(body("T p = 0; a[0] = 1;", "typedef local float* T;") == Hidden::nothing);
  CHECK(body("U p; a[0] = 1;", "typedef local float* T; typedef struct { T t; } U;") ==
        Hidden::nothing);
  CHECK(body("a[0] = sum(a);",
             "float sum(global float* a) { return a[0]; }\nvoid other(local float* a, int n);\n"
             "typedef struct { local float* tile; } Tile;") == Hidden::both);
  CHECK(body("struct S { int barrier; } s; s.barrier = 1; a[0] = s.barrier;") ==
        Hidden::nothing);  // not worth telling apart
  CHECK(body("int get_local_id = 1; a[0] = get_local_id;") == Hidden::nothing);
  CHECK(body("a[0] = table[1];", "constant float table[2] = {1, 2};") == Hidden::both);
  CHECK(judged("kernel void other(global float* a) { a[get_local_id(0)] = 1; }\n"
               "kernel void k(global float* a) { a[get_global_id(0)] = 1; }") == Hidden::both);
  CHECK(judged("kernel void other(global float* a) { a[get_local_id(0)] = 1; }\n"
               "kernel void k(global float* a) { other(a); }") == Hidden::nothing);
  CHECK(judged("void k(global float* a) { a[0] = 1; }") == Hidden::nothing);  // no kernel
  CHECK(holds(reason("kernel void l() {}"), "no kernel k"));
}

TEST_CASE("kernel_text: macros of the device") {
  const std::string local = "kernel void k(global float* a) { a[get_local_id(0)] = 1; }\n";
  const std::string global = "kernel void k(global float* a) { a[get_global_id(0)] = 1; }\n";
  const auto choice = [&](const std::string& condition) {
    return judged(condition + "\n" + local + "#else\n" + global + "#endif\n");
  };
  CHECK(choice("#ifdef MINE") == Hidden::both);  // no device defines a program's own names
  CHECK(choice("#ifndef MINE") == Hidden::nothing);
  CHECK(choice("#ifndef cl_khr_fp64") == Hidden::both);
  CHECK(choice("#ifdef cl_khr_fp64") == Hidden::nothing);
  CHECK(choice("#ifdef cl_khr_fp16") == Hidden::nothing);  // either
  CHECK(choice("#ifndef cl_khr_fp16") == Hidden::nothing);
  CHECK(choice("#if defined(__NV_CL_C_VERSION) || defined(__AMD__)") == Hidden::nothing);
  CHECK(choice("#if __OPENCL_VERSION__ >= 200") == Hidden::both);
  CHECK(choice("#if __OPENCL_C_VERSION__ >= 200") == Hidden::nothing);  // its value is not known
  CHECK(choice("#ifdef get_local_id") == Hidden::nothing);
  CHECK(choice("#if 0x7fffffff + 1 < 0 || (1 ? 2 : 3) != 2") == Hidden::both);
  CHECK(choice("#if -1 > 0u") == Hidden::nothing);
  CHECK(choice("#if 1 / 0") == Hidden::nothing);
  CHECK(choice("#if 0 && 1 / 0") == Hidden::both);
  CHECK(choice("#if 'a' == 97") == Hidden::nothing);
  CHECK(choice("#define D defined(MINE)\n#if D") == Hidden::nothing);
  CHECK(choice("#if 0\n#elif 1") == Hidden::nothing);
  CHECK(choice("#if 0\ncan't\n#elif 0") == Hidden::both);
  CHECK(choice("#elifdef X") == Hidden::nothing);
  CHECK(judged("#ifndef cl_khr_fp16\n#error \"no half\"\n#endif\n" + global) == Hidden::both);
  CHECK(judged("#error\n" + global) == Hidden::nothing);
  CHECK(judged("#ifndef M_PI\n#define M_PI 3\n#endif\n" + global) == Hidden::both);
  CHECK(judged("#ifdef cl_khr_x\n#define T get_local_id\n#else\n#define T get_global_id\n#endif\n"
               "kernel void k() { T(0); }") == Hidden::nothing);
  CHECK(judged("#undef cl_khr_x\n#ifdef cl_khr_x\n" + local + "#else\n" + global + "#endif\n") ==
        Hidden::both);
  CHECK(holds(reason("#ifdef cl_khr_x\n" + local + "#else\n" + global + "#endif\n"),
              "where the device defines cl_khr_x"));
  std::string many;
  for (int i = 0; i < 6; ++i) {
    many += "#ifdef cl_vendor_" + std::to_string(i) + "\n#define X\n#undef X\n#endif\n";
  }
  CHECK(judged(many + global) == Hidden::nothing);
}

TEST_CASE("kernel_text: build options") {
  const std::string good = "a[get_global_id(0)] = N;";
  for (const char* options :
       {"-DN=1", "-D N=1", "-DN", " -D  N=1  -I /nowhere -I/nowhere", "-DN=1 -cl-std=CL1.2 -w",
        "-DN=2 -cl-fast-relaxed-math -cl-mad-enable -Werror", "-DN=1 -cl-nv-verbose"}) {
    CAPTURE(options);
    CHECK(body(good, {}, options) == Hidden::both);
  }
  for (const char* options :
       {"-DN=get_local_id(0)", "-DN=1 -DN=2", "-D", "-DN=1 -cl-std=CLC++", "-DN=1 -include x.h",
        "-DN=1 -Wp,-DN=get_local_id(0)", "-DN='1'", "-DN=\"1\"", "-DN=1 -Dglobal=local",
        "-DN=1 -UN", "-DN=1 -x spir", "-DN=1 -cl-ext=+cl_khr_fp16"}) {
    CAPTURE(options);
    CHECK(body(good, {}, options) == Hidden::nothing);
  }
  CHECK(body(good, "#if __OPENCL_C_VERSION__ < 200\n#error old\n#endif", "-DN=1 -cl-std=CL2.0") ==
        Hidden::both);
}

TEST_CASE("kernel_text: files to include") {
  const test::TemporaryFolder folder;
  test::write_file(folder / "good.h", "#define WHERE get_global_id\n");
  const std::string options = "-I " + folder.path().string();
  const std::string good = "a[get_global_id(0)] = 1;";
  CHECK(body(good, "#include \"good.h\"", options) == Hidden::nothing);
  CHECK(body(good, "# /* */ include <good.h>", options) == Hidden::nothing);
  CHECK(body(good, "#pragma once\n#if 0\n#include <good.h>\n#endif", options) == Hidden::both);
  CHECK(holds(reason("\n#include <good.h>\nkernel void k() {}", options), "#include"));
  CHECK(holds(reason("\n#include <good.h>\nkernel void k() {}", options), "line 2"));
}

TEST_CASE("kernel_text: what cannot be read") {
  for (const char* text :
       {"", "kernel void k(", "kernel void k() { ", "kernel void k() { ) }", "kernel void k() }",
        "/* kernel void k() {}", "kernel void k() { \" }", "int f(a) int a; { } kernel void k() {}",
        "extern \"C\" { kernel void k() {} }", "#if 1\nkernel void k() {}",
        "kernel void k() {}\n#endif", "#include <none.h>\nkernel void k() {}",
        "#define F(x) x\nkernel void k() { F\n#define Y\n(1); }",
        "#define F(x) x\nkernel void k() { F(1\n#define Y\n); }",
        "#define F(x, y) x\nkernel void k() { F(1); }", "#define\nkernel void k() {}",
        "#define F(x\nkernel void k() {}", "#nonsense\nkernel void k() {}"}) {
    CAPTURE(text);
    CHECK(judged(text) == Hidden::nothing);
  }
  std::string bomb = "#define B0 x x\n";
  for (int i = 1; i < 60; ++i) {
    const std::string inner = "B" + std::to_string(i - 1);
    bomb += "#define B" + std::to_string(i) + " " + inner + " " + inner + "\n";
  }
  CHECK(holds(reason(bomb + "kernel void k() { B59; }"), "a million tokens"));
  CHECK(judged("kernel void k() {" + std::string(100000, '(') + "}") == Hidden::nothing);
  CHECK(judged("#if " + std::string(100000, '(') + "\n#endif\nkernel void k() {}") ==
        Hidden::nothing);
  for (const char* part : {"!", "- ", "1 ? 1 : "}) {
    std::string condition;
    for (int i = 0; i < 100000; ++i) condition += part;
    CHECK(judged("#if 0\n#elif " + condition + " 1\n#endif\nkernel void k() {}") ==
          Hidden::nothing);
  }
  std::string deep = "0";
  for (int i = 0; i < 1000; ++i) deep = "F(" + deep + ")";
  CHECK(judged("#define F(x) x\nkernel void k() { " + deep + "; }") == Hidden::nothing);
}

TEST_CASE("kernel_text: a call hidden at any depth is found") {
  Hiding hiding(39);
  const std::vector<std::pair<const char*, const char*>> telling{
      {"get_lo", "cal_id"}, {"get_num_", "groups"}, {"bar", "rier"}, {"unknown_", "function"}};
  for (std::size_t i = 0; i < 1000; ++i) {
    const auto& [left, right] = telling[i % telling.size()];
    const std::string told = hiding.program(left, right);
    const std::string size = hiding.program("get_global", "_size");
    const std::string none = hiding.program("get_glo", "bal_id");
    CAPTURE(told);
    CHECK(judged(told) == Hidden::nothing);
    CAPTURE(size);
    CHECK(judged(size) == Hidden::size);
    CAPTURE(none);
    CHECK(judged(none) == Hidden::both);
  }
}

TEST_CASE("kernel_text: clgauss's own kernels") {
  CHECK(of_file("scale.cl", "scale") == Hidden::both);
  CHECK(of_file("scale.cl", "add_slices") == Hidden::size);
  CHECK(of_file("scale.cl", "add_slices", "-Dget_global_size=get_global_id") == Hidden::both);
  CHECK(of_file("transpose.cl", "transpose", "-DEDGE=16") == Hidden::nothing);
  CHECK(of_file("transpose.cl", "transpose") == Hidden::nothing);  // #error
  for (const char* kernel :
       {"gauss_fwd_pre", "gauss_fwd", "gauss_bwd_prepare", "gauss_bwd", "gauss_swap"}) {
    CHECK(of_file("gauss.cl", kernel) == Hidden::both);
  }
  CHECK(of_file("gauss.cl", "gauss_pivot") == Hidden::nothing);
  CHECK(of_file("copy_rows.cl", "narrow") == Hidden::nothing);
  CHECK(of_file("matmul_kernels.cl", "lopatin_1", "-DDIM=16") == Hidden::both);
  CHECK(of_file("matmul_kernels.cl", "lopatin_2", "-DDIM=16") == Hidden::nothing);
  CHECK(of_file("matmul_kernels.cl", "lopatin_3", "-DDIM=16") == Hidden::nothing);
  CHECK(of_file("bandwidth.cl", "copy_elements", "-DELEMENT_WIDTH=4") == Hidden::both);
  CHECK(of_file("bandwidth.cl", "sum_rows", "-DELEMENT_WIDTH=4") == Hidden::nothing);
  CHECK(of_file("refine.cl", "demote") == Hidden::both);
  CHECK(of_file("refine.cl", "correct") == Hidden::both);
  CHECK(of_file("refine.cl", "judge") == Hidden::nothing);
}

TEST_CASE("kernel_text: every kernel file of clgauss is read, or asks for a macro or PTX") {
  int kernels = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::kernel_folder())) {
    if (entry.path().extension() != ".cl") continue;
    const std::string text = kernel_source(entry.path().filename(), test::kernel_folder());
    const KernelText result = kernel_text({text}, "-DREAL_BITS=32 -cl-std=CL1.2", "none", kDevice);
    CAPTURE(entry.path().string());
    CAPTURE(result.reason);
    const bool asks = holds(result.reason, "#error");
    CHECK((asks || holds(result.reason, "no kernel none")));
    kernels += asks ? 0 : 1;
  }
  CHECK(kernels > 10);
}

}  // namespace clgauss::layer
