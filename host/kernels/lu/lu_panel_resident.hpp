#pragma once
/// The base of the panels whose work-groups wait for each other at every column, so that all must
/// be resident at once.

#include <map>
#include <optional>

#include "kernels/common/packets.hpp"
#include "kernels/lu/lu_panels.hpp"

namespace clgauss {

class ResidentPanel : public PanelKernel {
 public:
  /// The packets in which work-groups exchange numbers. Each packet is tagged with the number of
  /// its column.
  struct Packets {
    std::uint64_t bytes;  // one work-group's packets for two columns
    cl_uint last_tag;
  };

  bool fits(cl_uint m) const override;
  /// Tests all heights together: if one height fails, none may be used.
  bool works(cl_uint m) override;
  Defines macros(cl_uint m) const override { return macros_of(shape(m)); }
  void build(cl_uint m) override { (void)kernel(shape(m)); }
  void factor(const cl::CommandQueue& queue, const Panel& panel) override;
  cl_uint waiting_groups(cl_uint m) const override;

 protected:
  /// The rows and work-items of one work-group.
  struct Shape {
    cl_uint rows, work_items;
    auto operator<=>(const Shape&) const = default;
  };

  ResidentPanel(const KernelVariant& variant, const LuSetting& setting, Packets packets,
                bool wanted);

  [[nodiscard]] virtual Shape shape(cl_uint m) const = 0;
  /// The macros of its kernel.
  [[nodiscard]] virtual Defines macros_of(const Shape& shape) const = 0;
  /// The tallest panel, of at most `n` rows, with the same shape as a panel of `m` rows.
  [[nodiscard]] virtual cl_uint tallest_like(cl_uint m, cl_uint n) const = 0;

  /// The number of work-groups to launch, at most most_groups().
  [[nodiscard]] virtual cl_uint groups_for(const Panel& panel, const Shape& shape) const;
  /// Passes the kernel arguments between the panel's width and its first row.
  virtual void pass_beside(Kernel& /*kernel*/, cl_uint& /*index*/, const Panel& /*panel*/) const {}

  [[nodiscard]] const LuSetting& setting() const { return setting_; }
  /// The most work-groups that a panel may have.
  [[nodiscard]] cl_uint most_groups() const { return most_groups_; }

 private:
  [[nodiscard]] bool works_up_to(cl_uint n);
  void ask(const Shape& shape);
  [[nodiscard]] bool gave_up();
  [[nodiscard]] bool all_resident(cl_uint m, const Shape& shape);
  Kernel& kernel(const Shape& shape);
  void factor_as(const cl::CommandQueue& queue, const Panel& panel, const Shape& shape);

  const KernelVariant& variant_;
  LuSetting setting_;
  bool wanted_;
  cl_uint most_groups_;
  std::optional<bool> works_;
  std::map<Shape, Kernel*> built_;
  PacketExchange exchange_;
};

/// Bytes of the packets for the largest number of work-groups.
[[nodiscard]] std::uint64_t exchange_bytes(const DeviceProfile& device, std::uint64_t of_a_group);

}  // namespace clgauss
