#pragma once
/// What the panels have in common whose work-groups wait for each other at every column and so must
/// all be resident at once.

#include <map>
#include <optional>

#include "kernels/lu/lu_panels.hpp"

namespace clgauss {

class ResidentPanel : public PanelKernel {
 public:
  /// The packets in which work-groups leave each other numbers; each carries the number of its
  /// column.
  struct Packets {
    std::uint64_t bytes;  // of the packets of one work-group for two columns
    cl_uint last_tag;
  };

  bool fits(cl_uint m) const override;
  /// Asked for all panels at once: what one height is not right for must not be used for any.
  bool works(cl_uint m) override;
  Defines macros(cl_uint m) const override { return macros_of(shape(m)); }
  void build(cl_uint m) override { (void)kernel(shape(m)); }
  void factor(const cl::CommandQueue& queue, const Panel& panel) override;
  cl_uint waiting_groups(cl_uint m) const override;

 protected:
  /// How a panel is cut: of a work-group.
  struct Shape {
    cl_uint rows, work_items;
    auto operator<=>(const Shape&) const = default;
  };

  ResidentPanel(const KernelVariant& variant, const LuSetting& setting, Packets packets,
                bool wanted);

  [[nodiscard]] virtual Shape shape(cl_uint m) const = 0;
  /// What its kernel is built with.
  [[nodiscard]] virtual Defines macros_of(const Shape& shape) const = 0;
  /// The tallest panel of no more than `n` rows that is cut as one of `m` is.
  [[nodiscard]] virtual cl_uint tallest_like(cl_uint m, cl_uint n) const = 0;

  /// Work-groups that are launched, at most most_groups().
  [[nodiscard]] virtual cl_uint groups_for(const Panel& panel, const Shape& shape) const;
  /// Passes what its kernel takes between the panel's width and its first row.
  virtual void pass_beside(Kernel& /*kernel*/, cl_uint& /*index*/, const Panel& /*panel*/) const {}

  [[nodiscard]] const LuSetting& setting() const { return setting_; }
  /// That a panel may have.
  [[nodiscard]] cl_uint most_groups() const { return most_groups_; }

 private:
  [[nodiscard]] bool works_up_to(cl_uint n);
  void ask(const Shape& shape);
  [[nodiscard]] bool gave_up();
  [[nodiscard]] bool all_resident(cl_uint m, const Shape& shape);
  Kernel& kernel(const Shape& shape);
  const cl::Buffer& exchange(const cl::CommandQueue& queue, cl_uint width);
  void factor_as(const cl::CommandQueue& queue, const Panel& panel, const Shape& shape);

  const KernelVariant& variant_;
  LuSetting setting_;
  Packets packets_;
  bool wanted_;
  cl_uint most_groups_;
  std::optional<bool> works_;
  std::map<Shape, Kernel*> built_;
  cl::Buffer exchange_;
  cl_uint epoch_ = 1;
};

/// What the packets take: for as many work-groups as there may be.
[[nodiscard]] std::uint64_t exchange_bytes(const DeviceProfile& device, std::uint64_t of_a_group);

}  // namespace clgauss
