#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <clgauss/lab/program.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "support/devices.hpp"
#include "support/paths.hpp"
#include "support/thorough.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;

namespace {

struct FileWithDefines {
  std::string file;
  std::string defines;
};

constexpr const char* kCpuTile = "-DVEC_WIDTH=8 -DMR=12 -DNR=16 -DUNROLL=4 -DUSE_FMA=1 ";

bool includes_ptx(const std::filesystem::path& file) {
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return text.find("#include \"ptx.clh\"") != std::string::npos;
}

/// Every kernel file that PoCL can be given, with the macros that it asks for.
std::vector<FileWithDefines> builds() {
  const std::string tile = kCpuTile;
  std::vector<FileWithDefines> all = {
      {"bandwidth.cl", "-DELEMENT_WIDTH=4"},
      {"butterfly.cl", "-DOUT_BITS=32 -DWG_SIZE=64"},
      {"cholesky.cl", "-DNB=64 -DUPDATES=0"},
      {"cholesky.cl", "-DNB=64 -DUPDATES=1"},
      {"cholesky_cpu.cl", tile + "-DRB=24"},
      {"ldlt.cl", "-DVEC_WIDTH=8 -DUSE_FMA=1 -DWIDTH=64 -DLOCAL=1 -DCHUNK=16 -DPIECE=256"},
      {"ldlt.cl", "-DVEC_WIDTH=1 -DUSE_FMA=1 -DWIDTH=64 -DLOCAL=256 -DCHUNK=1 -DPIECE=256"},
      {"ldlt.cl",
       "-DCOMPLEX=1 -DVEC_WIDTH=8 -DUSE_FMA=1 -DWIDTH=64 -DLOCAL=1 -DCHUNK=16 -DPIECE=256"},
      {"ldlt.cl",
       "-DCOMPLEX=1 -DVEC_WIDTH=2 -DUSE_FMA=1 -DWIDTH=64 -DLOCAL=256 -DCHUNK=1 -DPIECE=256"},
      {"ldlt_panel_waiting.cl",
       "-DUSE_FMA=1 -DWIDTH=64 -DROWS=128 -DSPIN_LIMIT=100 -DPACKET_BITS=64 -DSUB_GROUPS=0"},
      {"ldlt_panel_waiting.cl",
       "-DCOMPLEX=1 -DUSE_FMA=1 -DWIDTH=32 -DROWS=128 -DSPIN_LIMIT=100 -DPACKET_BITS=32 "
       "-DSUB_GROUPS=0"},
      {"diagonal.cl", ""},
      {"diagonal.cl", "-DCOMPLEX=1"},
      {"columns.cl", ""},
      {"columns.cl", "-DCOMPLEX=1"},
      {"copy_rows.cl", ""},
      {"gauss.cl", ""},
      {"gemm_cpu.cl", tile + "-DPACK_STEPS=16"},
      {"iterations.cl", "-DWG_SIZE=64"},
      {"laboratory.cl", ""},
      {"latency.cl", ""},
      {"arithmetic_rate.cl", ""},
      {"loop_probe.cl", ""},
      {"lu_cpu.cl", tile + "-DRB=24 -DOPENCL_C=120"},
      {"lu_cpu.cl", tile + "-DRB=24 -DOPENCL_C=300"},
      {"lu_cpu.cl", tile + "-DCOMPLEX=1 -DRB=24 -DOPENCL_C=120"},
      {"lu_cpu.cl", tile + "-DCOMPLEX=1 -DRB=24 -DOPENCL_C=300"},
      {"lu_columns_cpu.cl", tile + "-DRB=24"},
      {"lu_panel_group.cl", "-DPANEL_WIDTH=8 -DWG_SIZE=64 -DPANEL_TOURNAMENT=0"},
      {"lu_panel_group.cl", "-DPANEL_WIDTH=8 -DWG_SIZE=64 -DPANEL_TOURNAMENT=1"},
      {"lu_panel_tournament.cl", "-DPANEL_WIDTH=8 -DWG_SIZE=64"},
      {"lu_panel_tall.cl", "-DPANEL_WIDTH=8 -DLINES=4 -DGROUP_ROWS=64"},
      {"lu_panel_waiting.cl", "-DPANEL_WIDTH=8 -DROWS=64 -DSPIN_LIMIT=100 -DPACKET_BITS=64"},
      {"lu_panel_waiting.cl",
       "-DCOMPLEX=1 -DPANEL_WIDTH=8 -DROWS=64 -DSPIN_LIMIT=100 -DPACKET_BITS=32"},
      {"lu_panel_waiting.cl", "-DPANEL_WIDTH=8 -DROWS=64 -DSPIN_LIMIT=100 -DPACKET_BITS=32"},
      {"lu_small.cl", "-DSMALL_N=32 -DSMALL_NRHS=1 -DWG_SIZE=64"},
      {"lu_diagonal.cl", "-DNB=64 -DWINDOW=128 -DGRID_ROWS=8 -DGRID_COLS=16"},
      {"lu_window.cl", "-DNB=64 -DWINDOW=128 -DGRID_ROWS=8 -DGRID_COLS=16"},
      {"matmul_kernels.cl", "-DDIM=16 -DKERNEL=1"},
      {"matmul_ladder.cl", "-DBLOCK=16 -DRESULTS=8"},
      {"matmul_steps.cl", "-DTILE=16"},
      {"batched_ldlt.cl",
       "-DEXTENT=48 -DGROUP=1 -DCOLUMNS=1 -DRHS=1 -DVEC_WIDTH=8 -DUSE_FMA=1 -DPACKED=0"},
      {"poison.cl", ""},
      {"probe.cl", ""},
      {"qr.cl", "-DNB=16 -DVEC_WIDTH=16 -DLANES=1"},
      {"qr.cl", "-DNB=64 -DVEC_WIDTH=1 -DLANES=16"},
      {"complex_lu.cl", "-DCOLUMNS=8 -DVEC_WIDTH=16 -DWG_SIZE=1"},
      {"complex_lu.cl", "-DCOLUMNS=8 -DVEC_WIDTH=2 -DWG_SIZE=64"},
      {"complex_pairs.cl", "-DCOMPLEX=1"},
      {"complex_cholesky.cl", "-DVEC_WIDTH=16 -DBLOCK=96 -DGROUP=1"},
      {"complex_cholesky.cl", "-DVEC_WIDTH=2 -DBLOCK=96 -DGROUP=256"},
      {"batched_cholesky.cl", "-DROWS=64 -DPANEL=16 -DGROUP=32"},
      {"batched_cholesky.cl", "-DCOMPLEX=1 -DROWS=64 -DPANEL=4 -DGROUP=64"},
      {"batched_panels.cl", "-DROWS=64 -DPANEL=8 -DGROUP=64 -DKERNEL=1"},
      {"batched_panels.cl", "-DCOMPLEX=1 -DROWS=64 -DPANEL=8 -DGROUP=64 -DKERNEL=1"},
      {"batched_panels.cl", "-DROWS=64 -DPANEL=8 -DGROUP=64 -DKERNEL=2 -DRHS=1"},
      {"batched_panels.cl", "-DROWS=64 -DPANEL=8 -DGROUP=64 -DKERNEL=2 -DRHS=8"},
      {"refine.cl", ""},
      {"residual.cl", "-DWG_SIZE=1 -DVEC_WIDTH=8 -DRHS=1 -DACCURATE=0 -DX_PARTS=1 -DUSE_FMA=1"},
      {"residual.cl", "-DWG_SIZE=1 -DVEC_WIDTH=8 -DRHS=4 -DACCURATE=1 -DX_PARTS=2 -DUSE_FMA=1"},
      {"residual.cl", "-DWG_SIZE=64 -DVEC_WIDTH=1 -DRHS=2 -DACCURATE=1 -DX_PARTS=1 -DUSE_FMA=0"},
      {"residual_integer.cl", "-DWG_SIZE=64"},
      {"scale.cl", ""},
      {"transpose.cl", "-DEDGE=16"},
      {"triangle_inverse.cl", "-DBLOCK=64 -DVEC_WIDTH=8"},
      {"laswp_trsm.cl", "-DWG_SIZE=64 -DSTRIP=4 -DKERNEL=0"},
      {"laswp_trsm.cl", "-DWG_SIZE=64 -DSTRIP=4 -DKERNEL=1"},
      {"laswp_trsm.cl", "-DWG_SIZE=64 -DSTRIP=4 -DKERNEL=2"},
      {"laswp_trsm.cl", "-DCOMPLEX=1 -DWG_SIZE=64 -DSTRIP=4 -DKERNEL=1"},
      {"trsv.cl", "-DWG_SIZE=64 -DUPPER=1"},
      {"trsv.cl", "-DCOMPLEX=1 -DWG_SIZE=64 -DUPPER=1"},
      {"upper_maxima.cl", "-DWG_SIZE=64"},
      {"upper_maxima.cl", "-DCOMPLEX=1 -DWG_SIZE=64"},
      {"trsv_transposed.cl", "-DBLOCK=64 -DPARTS=4 -DRHS=4"},
      {"trsv_transposed.cl", "-DCOMPLEX=1 -DBLOCK=64 -DPARTS=4 -DRHS=4"},
      {"trsm_cpu.cl", tile},
      {"trsv_columns_cpu.cl", tile + "-DRHS=4"},
  };
  for (const std::string yes : {"0", "1"}) {
    all.push_back({"gemm_simt.cl",
                   "-DTILE_M=64 -DTILE_N=64 -DTILE_K=16 -DWG_M=8 -DWG_N=8 -DLANES_M=4 -DLANES_N=4 "
                   "-DVEC_WIDTH=4 -DPAD=4 -DRASTER=8 -DTRANS_A=" +
                       yes + " -DTRANS_B=" + yes + " -DALIGNED=" + yes});
    all.push_back(
        {"batched_ldlt.cl",
         "-DEXTENT=48 -DGROUP=64 -DCOLUMNS=16 -DRHS=8 -DVEC_WIDTH=1 -DUSE_FMA=1 -DPACKED=" + yes});
    for (const std::string complex : {"", " -DCOMPLEX=1"})
      all.push_back({"batched_cpu.cl", tile + "-DRHS=1 -DDEFINITE=" + yes + complex});
    for (const std::string kernel : {"1 -DLANE_ROWS=2", "2 -DMOST_ROWS=64", "3", "4", "5"})
      all.push_back({"batched_blocks.cl",
                     "-DPANEL=16 -DBLOCK=64 -DGROUP=64 -DDEFINITE=" + yes + " -DKERNEL=" + kernel});
    const std::string batched = "-DGRID=4 -DTILE=2 -DSYSTEMS=4 -DDEFINITE=" + yes;
    for (const std::string registers : {"0", "1"})
      all.push_back(
          {"batched_tile.cl", batched + " -DRHS=1 -DKERNEL=1 -DIN_REGISTERS=" + registers});
    for (const std::string kernel : {"2", "3"})
      for (const std::string complex : {"", " -DCOMPLEX=1"})
        all.push_back({"batched_tile.cl",
                       batched + " -DRHS=8 -DIN_REGISTERS=0 -DKERNEL=" + kernel + complex});
  }
  return all;
}

/// Of a build log, without those lines that are of the CPU and not of the kernel: some vectors are
/// wider than AVX2's.
bool warns(const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);)
    if (line.find("warning") != std::string::npos &&
        line.find("changes the ABI") == std::string::npos)
      return true;
  return false;
}

bool is_pocl(const DeviceProfile& device) {
  return device.platform_name == "Portable Computing Language";
}

}  // namespace

TEST_CASE("no kernel makes PoCL warn") {
  on_every_device([](const Device& device) {
    if (!is_pocl(device.profile)) return;
    const cl::Context context(device.handle);
    for (const FileWithDefines& build : test::some_of(builds(), 2))
      for (const char* bits : test::some_of(std::vector{"32", "64"}, 2)) {
        const bool late = build.defines.find("OPENCL_C=300") != std::string::npos;
        if (late && !device.profile.device_fences) continue;
        const std::string options =
            fmt::format("-cl-std={} -DREAL_BITS={} ", late ? "CL3.0" : "CL1.2", bits);
        CAPTURE(build.file);
        CAPTURE(build.defines);
        cl::Program program(context, kernel_source(build.file, std::nullopt));
        try {
          program.build(device.handle, (options + build.defines).c_str());
        } catch (const cl::BuildError&) {
        }
        const auto log = program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device.handle);
        CAPTURE(log);
        CHECK(program.getBuildInfo<CL_PROGRAM_BUILD_STATUS>(device.handle) == CL_BUILD_SUCCESS);
        CHECK_FALSE(warns(log));
      }
  });
}

TEST_CASE("every kernel file that PoCL can be given is asked for warnings") {
  const std::vector<FileWithDefines> all = builds();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::kernel_folder())) {
    const std::string file = entry.path().filename();
    if (entry.path().extension() != ".cl" || includes_ptx(entry.path()) ||
        file == "matmul_shuffle_khr.cl")  // PoCL has neither
      continue;
    CAPTURE(file);
    CHECK(
        std::ranges::any_of(all, [&](const FileWithDefines& build) { return build.file == file; }));
  }
}
