#pragma once
/// The base of the panels that a single work-group factors.

#include <map>
#include <optional>

#include "kernels/lu/lu_panels.hpp"

namespace clgauss {

class PanelAlone : public PanelKernel {
 public:
  bool works(cl_uint m) override;
  Defines macros(cl_uint m) const override { return macros_of(shape(m)); }
  void build(cl_uint m) override { (void)kernel(m); }
  void factor(const cl::CommandQueue& queue, const Panel& panel) override;

 protected:
  /// The work-group for a panel, and the most rows that it can factor.
  struct Shape {
    cl_uint rows, work_items;
  };

  PanelAlone(const KernelVariant& variant, const LuSetting& setting)
      : variant_(variant), setting_(setting) {}

  [[nodiscard]] virtual Shape shape(cl_uint m) const = 0;
  /// The macros of its kernel, which has the variant's name.
  [[nodiscard]] virtual Defines macros_of(const Shape& shape) const = 0;

  [[nodiscard]] const LuSetting& setting() const { return setting_; }

 private:
  Kernel& kernel(cl_uint m);
  void ask(cl_uint m);

  const KernelVariant& variant_;
  LuSetting setting_;
  std::map<cl_uint, std::optional<bool>> works_;  // by the shape's rows
  std::map<cl_uint, Kernel*> built_;              // likewise
};

}  // namespace clgauss
