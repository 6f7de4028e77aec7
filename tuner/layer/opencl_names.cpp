#include "opencl_names.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>

namespace clgauss::layer {

namespace {

// What tells, and why: the first that fits counts. What is in none of these tables and is called is
// unknown, and so tells everything. Work-items that are free of data races and find nothing of this
// table in their text cannot exchange anything, so neither their order nor their groups show.
constexpr std::array<Telling, 35> kTelling{{
    {"reqd_work_group_size", true, "the kernel demands its size"},
    {"work_group_size_hint", true, "the kernel was written for a size"},
    {"intel_reqd_*", true, "the kernel demands the size of its sub-groups"},
    {"get_local_*", true, "ids and sizes within the group change with the size"},
    {"get_group_id", true, "groups change with the size"},
    {"get_num_groups", true, "groups change with the size"},
    {"get_enqueued_*", true, "it is the size, or made of it"},
    {"get_sub_group_*", true, "sub-groups are parts of the group"},
    {"get_num_sub_groups", true, "sub-groups are parts of the group"},
    {"get_max_sub_group_size", true, "sub-groups are parts of the group"},
    {"sub_group_*", true, "sub-groups are parts of the group"},
    {"intel_sub_group_*", true, "sub-groups are parts of the group"},
    {"work_group_*", true, "what a group's work-items do together depends on who they are"},
    {"barrier", true, "what a group's work-items do together depends on who they are"},
    {"async_work_group_*", true, "what a group's work-items do together depends on who they are"},
    {"wait_group_events", true, "what a group's work-items do together depends on who they are"},
    {"local", true, "local memory belongs to a group"},
    {"__local", true, "local memory belongs to a group"},
    {"to_local", true, "local memory belongs to a group"},
    {"mem_fence", true, "a fence is for what work-items tell each other"},
    {"read_mem_fence", true, "a fence is for what work-items tell each other"},
    {"write_mem_fence", true, "a fence is for what work-items tell each other"},
    {"atomic_work_item_fence", true, "a fence is for what work-items tell each other"},
    {"enqueue_*", true, "what a kernel launches is not judged"},
    {"get_kernel_*", true, "it tells of sizes and sub-groups"},
    {"ndrange_*", true, "what a kernel launches is not judged"},
    {"printf", true, "the order of lines shows the order of work-items"},
    {"asm", true, "assembly can read every register"},
    {"get_global_size", false, "each part has its own range"},
    {"get_global_offset", false, "each part has its own offset"},
    {"get_global_linear_id", false, "each part counts from its own offset"},
    // In themselves they show only an order, which is never defined; but the second part of a split
    // starts when the first has ended, so one must not wait for the other. kernel_text() asks more
    // of them before another size is taken.
    {"atomic_*", false, "a work-item may wait for one of the other part"},
    {"atom_*", false, "a work-item may wait for one of the other part"},
    {"atomic", false, "a work-item may wait for one of the other part"},
    {"_Atomic", false, "a work-item may wait for one of the other part"},
}};

using Names = std::unordered_set<std::string_view>;

Names words(std::string_view list) {
  Names result;
  for (std::size_t begin = 0; (begin = list.find_first_not_of(" \n", begin)) != list.npos;) {
    const std::size_t end = std::min(list.find_first_of(" \n", begin), list.size());
    result.insert(list.substr(begin, end - begin));
    begin = end;
  }
  return result;
}

bool fits(std::string_view pattern, std::string_view name) {
  if (pattern.back() != '*') return pattern == name;
  pattern.remove_suffix(1);
  return name.substr(0, pattern.size()) == pattern;
}

std::string_view without_prefix(std::string_view name, std::string_view prefix) {
  return name.substr(0, prefix.size()) == prefix ? name.substr(prefix.size()) : std::string_view();
}

/// "2" to "16", or nothing.
bool is_width(std::string_view text) {
  static const Names widths = words("2 3 4 8 16");
  return text.empty() || widths.count(text) != 0;
}

/// "float", "float4": what as_ and convert_ end in.
bool is_vector_type(std::string_view name) {
  static const Names elements =
      words("char uchar short ushort int uint long ulong float double half bool");
  const std::size_t digits = name.find_first_of("0123456789");
  return elements.count(name.substr(0, digits)) != 0 &&
         is_width(digits == name.npos ? std::string_view() : name.substr(digits));
}

bool is_conversion(std::string_view name) {
  static const Names endings =
      words("_sat _rte _rtz _rtp _rtn _sat_rte _sat_rtz _sat_rtp _sat_rtn");
  const std::string_view rest = without_prefix(name, "convert_");
  const std::size_t end = std::min(rest.find('_'), rest.size());
  return is_vector_type(rest.substr(0, end)) &&
         (end == rest.size() || endings.count(rest.substr(end)) != 0);
}

bool is_load_or_store(std::string_view name) {
  static const Names roundings = words("_rte _rtz _rtp _rtn");
  for (const std::string_view start : {"vload", "vstore"}) {
    const std::string_view rest = without_prefix(name, start);
    if (!rest.empty() && is_width(rest)) return true;  // vload4
  }
  for (const std::string_view start :
       {"vload_half", "vloada_half", "vstore_half", "vstorea_half"}) {
    if (name.substr(0, start.size()) != start) continue;
    const std::string_view rest = name.substr(start.size());
    const std::size_t end = std::min(rest.find('_'), rest.size());
    if (is_width(rest.substr(0, end)) &&
        (end == rest.size() || roundings.count(rest.substr(end)) != 0)) {
      return true;
    }
  }
  return false;
}

// Mathematics, integers, common, geometric, relational and vector functions; images; prefetch,
// which is a hint and does nothing.
constexpr std::string_view kFunctions = R"(
get_global_id get_work_dim
acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt ceil copysign cos cosh cospi
erf erfc exp exp2 exp10 expm1 fabs fdim floor fma fmax fmin fmod fract frexp hypot ilogb ldexp lgamma
lgamma_r log log2 log10 log1p logb mad maxmag minmag modf nan nextafter pow pown powr remainder remquo
rint rootn round rsqrt sin sincos sinh sinpi sqrt tan tanh tanpi tgamma trunc
half_cos half_divide half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_powr half_recip
half_rsqrt half_sin half_sqrt half_tan
native_cos native_divide native_exp native_exp2 native_exp10 native_log native_log2 native_log10
native_powr native_recip native_rsqrt native_sin native_sqrt native_tan
abs abs_diff add_sat hadd rhadd clamp clz ctz mad_hi mad_sat max min mul_hi rotate sub_sat upsample
popcount mad24 mul24 degrees mix radians step smoothstep sign
cross dot distance length normalize fast_distance fast_length fast_normalize
isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isfinite isinf isnan
isnormal isordered isunordered signbit any all bitselect select
shuffle shuffle2 vec_step prefetch
read_imagef read_imagei read_imageui read_imageh write_imagef write_imagei write_imageui write_imageh
get_image_width get_image_height get_image_depth get_image_channel_data_type get_image_channel_order
get_image_dim get_image_array_size get_image_num_mip_levels get_image_num_samples
)";

constexpr std::string_view kWords = R"(
if else for while do switch case default break continue return goto sizeof
typedef struct union enum static extern inline const volatile restrict register auto
__inline __inline__ __const __const__ __restrict __restrict__ __volatile __volatile__ __attribute__
__attribute
kernel __kernel global __global constant __constant private __private generic
read_only __read_only write_only __write_only read_write __read_write
void bool _Bool signed unsigned size_t ptrdiff_t intptr_t uintptr_t event_t sampler_t
image1d_t image1d_buffer_t image1d_array_t image2d_t image2d_array_t image2d_depth_t
image2d_array_depth_t image2d_msaa_t image3d_t
)";

constexpr std::string_view kConstants = R"(
__func__ true false NULL INFINITY NAN MAXFLOAT HUGE_VALF HUGE_VAL HUGE_VALH
CHAR_BIT CHAR_MAX CHAR_MIN SCHAR_MAX SCHAR_MIN UCHAR_MAX SHRT_MAX SHRT_MIN USHRT_MAX INT_MAX INT_MIN
UINT_MAX LONG_MAX LONG_MIN ULONG_MAX
FLT_DIG FLT_MANT_DIG FLT_MAX_10_EXP FLT_MAX_EXP FLT_MIN_10_EXP FLT_MIN_EXP FLT_RADIX FLT_MAX FLT_MIN
FLT_EPSILON DBL_DIG DBL_MANT_DIG DBL_MAX_10_EXP DBL_MAX_EXP DBL_MIN_10_EXP DBL_MIN_EXP DBL_RADIX
DBL_MAX DBL_MIN DBL_EPSILON HALF_DIG HALF_MANT_DIG HALF_MAX_10_EXP HALF_MAX_EXP HALF_MIN_10_EXP
HALF_MIN_EXP HALF_RADIX HALF_MAX HALF_MIN HALF_EPSILON FP_ILOGB0 FP_ILOGBNAN
M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2
M_E_F M_LOG2E_F M_LOG10E_F M_LN2_F M_LN10_F M_PI_F M_PI_2_F M_PI_4_F M_1_PI_F M_2_PI_F M_2_SQRTPI_F
M_SQRT2_F M_SQRT1_2_F
M_E_H M_LOG2E_H M_LOG10E_H M_LN2_H M_LN10_H M_PI_H M_PI_2_H M_PI_4_H M_1_PI_H M_2_PI_H M_2_SQRTPI_H
M_SQRT2_H M_SQRT1_2_H
CLK_NORMALIZED_COORDS_TRUE CLK_NORMALIZED_COORDS_FALSE CLK_ADDRESS_NONE CLK_ADDRESS_CLAMP
CLK_ADDRESS_CLAMP_TO_EDGE CLK_ADDRESS_REPEAT CLK_ADDRESS_MIRRORED_REPEAT CLK_FILTER_NEAREST
CLK_FILTER_LINEAR
CLK_SNORM_INT8 CLK_SNORM_INT16 CLK_UNORM_INT8 CLK_UNORM_INT16 CLK_UNORM_SHORT_565 CLK_UNORM_SHORT_555
CLK_UNORM_INT_101010 CLK_SIGNED_INT8 CLK_SIGNED_INT16 CLK_SIGNED_INT32 CLK_UNSIGNED_INT8
CLK_UNSIGNED_INT16 CLK_UNSIGNED_INT32 CLK_HALF_FLOAT CLK_FLOAT CLK_UNORM_INT24
CLK_R CLK_A CLK_RG CLK_RA CLK_RGB CLK_RGBA CLK_BGRA CLK_ARGB CLK_ABGR CLK_INTENSITY CLK_LUMINANCE
CLK_Rx CLK_RGx CLK_RGBx CLK_DEPTH CLK_DEPTH_STENCIL CLK_sRGB CLK_sRGBx CLK_sRGBA CLK_sBGRA
)";

}  // namespace

const Telling* tells(std::string_view name) {
  const auto* found = std::find_if(kTelling.begin(), kTelling.end(), [&](const Telling& telling) {
    return fits(telling.name, name);
  });
  return found == kTelling.end() ? nullptr : found;
}

bool is_atomic(std::string_view name) {
  const Telling* telling = tells(name);
  return telling != nullptr && !telling->of_size && (fits("atom*", name) || fits("_Atomic", name));
}

bool is_harmless_function(std::string_view name) {
  static const Names functions = words(kFunctions);
  return functions.count(name) != 0 || is_vector_type(without_prefix(name, "as_")) ||
         is_conversion(name) || is_load_or_store(name);
}

bool is_language_word(std::string_view name) {
  static const Names names = words(kWords);
  return names.count(name) != 0 || is_vector_type(name);
}

bool is_constant(std::string_view name) {
  static const Names names = words(kConstants);
  return names.count(name) != 0;
}

bool is_harmless_attribute(std::string_view name) {
  static const Names names = words(
      "aligned packed vec_type_hint opencl_unroll_hint overloadable always_inline noinline unused "
      "max_constant_size "
      "pure const nosvm may_alias");
  if (name.size() > 4 && fits("__*", name) && name.substr(name.size() - 2) == "__") {
    name = name.substr(2, name.size() - 4);
  }
  return names.count(name) != 0;
}

bool is_harmless_pragma(std::string_view word) {
  static const Names names = words("OPENCL unroll nounroll ivdep pack STDC message once");
  return names.count(word) != 0;
}

}  // namespace clgauss::layer
