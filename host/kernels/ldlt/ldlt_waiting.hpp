#pragma once
/// Panels of L D L^T by many work-groups, which wait for each other:
/// cl/ldlt/ldlt_panel_waiting.cl.

#include "kernels/common/packets.hpp"
#include "kernels/lu/lu_common.hpp"

namespace clgauss {

struct LdltBuffers;

/// For devices whose work-groups are shown to run all at once.
[[nodiscard]] const KernelVariant& ldlt_waiting_variant();

/// Views are counted in numbers.
class LdltWaiting {
 public:
  /// For panels of n rows, `rows` of them a work-group; 0: as usual.
  LdltWaiting(KernelMemo& kernels, Index n, cl_uint rows);

  /// Whether the device has room for a work-group of `rows` rows.
  [[nodiscard]] static bool has_room(const DeviceProfile& device, NumberType number, cl_uint rows);
  /// The usual rows of a work-group; 0 where the device lacks something.
  [[nodiscard]] static cl_uint usual_rows(const DeviceProfile& device, NumberType number, Index n);
  /// The most columns of a panel.
  [[nodiscard]] static cl_uint width(NumberType number);
  /// Bytes of its buffers; 0 where the device lacks something.
  [[nodiscard]] static std::uint64_t bytes(const DeviceProfile& device, NumberType number, Index n);

  /// Rows of a work-group.
  [[nodiscard]] cl_uint rows() const { return rows_; }
  /// The most rows of a panel; 0 where the device lacks something.
  [[nodiscard]] cl_uint most_rows() const;
  [[nodiscard]] KernelBuild build() const;
  /// Builds its kernels.
  void prepare();
  /// Whether as many work-groups as n rows need, or most_rows(), run at once.
  [[nodiscard]] bool resident();

  /// Where the columns first .. first + width - 1 are to be brought.
  [[nodiscard]] const MatrixView& brought();
  /// Factors the panel of those columns, but leaves what displace() does. done[2] becomes 1 where a
  /// work-group waited in vain: nothing but `buffers` has changed then.
  void panel(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n, cl_uint first,
             cl_uint width, const LdltBuffers& buffers, const LuFlags& flags);
  /// Moves columns of A to where the panel took others from; nothing where it was given up.
  void displace(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n, cl_uint first,
                cl_uint width, const LdltBuffers& buffers);

 private:
  Kernel& kernel(const char* name);
  [[nodiscard]] Defines macros() const;
  void allocate();
  [[nodiscard]] cl_uint groups(cl_uint rows) const;

  KernelMemo& kernels_;
  cl_uint n_, rows_, width_;
  PacketExchange exchange_;
  MatrixView brought_;
  cl::Buffer x_, places_, picked_;  // picked_: rows, exchanges and kinds of the panel's columns
};

}  // namespace clgauss
