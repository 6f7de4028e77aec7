#pragma once
/// The ways to factor a panel, P A = L U for a tall A of at most kPanelWidth columns.

#include <memory>
#include <vector>

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// Columns of a panel.
inline constexpr cl_uint kPanelWidth = 32;

/// The m-by-width panel at `a`, whose first row is row `row` of the matrix; pivots[row + j] becomes
/// the row exchanged with row + j. Beside it stand `left` columns that are to be exchanged as it
/// is, and `right` columns in which B <- L11^-1 P B.
struct Panel {
  const MatrixView& a;
  cl_uint m, width, row;
  const cl::Buffer& pivots;
  cl_uint left = 0, right = 0;
};

/// One way.
class PanelKernel {
 public:
  PanelKernel() = default;
  virtual ~PanelKernel() = default;
  PanelKernel(const PanelKernel&) = delete;
  PanelKernel& operator=(const PanelKernel&) = delete;

  /// Whether the device and the parameters let it try panels of `m` rows.
  [[nodiscard]] virtual bool fits(cl_uint m) const = 0;
  /// Whether its kernels for them passed their self-test. For an `m` that fits.
  virtual bool works(cl_uint m) = 0;
  /// What would be built for them.
  [[nodiscard]] virtual Defines macros(cl_uint m) const = 0;
  virtual void build(cl_uint m) = 0;
  virtual void factor(const cl::CommandQueue& queue, const Panel& panel) = 0;
  /// Whether factor() does what is to be done beside this one; else it leaves that as it is.
  [[nodiscard]] virtual bool works_beside(const Panel& /*panel*/) const { return false; }
  /// Work-groups that wait for each other in a panel of `m` rows.
  [[nodiscard]] virtual cl_uint waiting_groups(cl_uint /*m*/) const { return 0; }
};

// Each way stands in the file of its name, and has a row in lu_panels.cpp.

/// One work-group, a column a sub-group, with vendors' instructions.
[[nodiscard]] const KernelVariant& panel_columns_variant();
[[nodiscard]] std::unique_ptr<PanelKernel> make_panel_columns(const LuSetting& setting);
/// A work-group a few sub-groups of rows, all resident at once, so that they may wait for each
/// other at every column.
[[nodiscard]] const KernelVariant& panel_persistent_variant();
[[nodiscard]] std::unique_ptr<PanelKernel> make_panel_persistent(const LuSetting& setting);
/// One work-group.
[[nodiscard]] const KernelVariant& panel_group_variant();
[[nodiscard]] std::unique_ptr<PanelKernel> make_panel_group(const LuSetting& setting);
/// As persistent, without sub-groups and vendors' instructions.
[[nodiscard]] const KernelVariant& panel_waiting_variant();
[[nodiscard]] std::unique_ptr<PanelKernel> make_panel_waiting(const LuSetting& setting);
/// Tournament pivoting: work-groups choose candidates, those of several choose again.
[[nodiscard]] const KernelVariant& panel_tournament_variant();
[[nodiscard]] std::unique_ptr<PanelKernel> make_panel_tournament(const LuSetting& setting);
/// Partial pivoting by two launches a column, for panels that nothing else takes.
[[nodiscard]] const KernelVariant& panel_tall_variant();
[[nodiscard]] std::unique_ptr<PanelKernel> make_panel_tall(const LuSetting& setting);

/// KernelVariant::ask of a way: panels of these heights, where it fits them.
void ask_panels(Context& context, RealType type,
                std::unique_ptr<PanelKernel> (*make)(const LuSetting& setting),
                const std::vector<cl_uint>& heights);

/// Which ways are taken for a panel that one work-group does not hold.
enum class PanelWays {
  fastest,     // work-groups that wait for each other, else tournament pivoting
  tournament,  // never work-groups that wait for each other
  partial      // always partial pivoting
};

/// The variants of `fastest`, in the order of trying.
[[nodiscard]] std::vector<const KernelVariant*> panel_variants();

/// Factors panels, each by the first way that fits it and works.
class Panels {
 public:
  Panels(const LuSetting& setting, PanelWays which);

  /// Builds the kernels for panels of `m` rows. Throws NoUsableKernel.
  void prepare(cl_uint m);

  /// Returns whether what is to be done beside the panel is done, too.
  bool factor(const cl::CommandQueue& queue, const Panel& panel);

  /// Work-groups that must all run at once to factor a panel of `m` rows; 0 where none waits for
  /// others.
  [[nodiscard]] cl_uint waiting_groups(cl_uint m) { return way_for(m).kernel->waiting_groups(m); }

  /// Whether its work-groups were shown to be resident at once, so that other kernels with its
  /// packets may wait, too.
  [[nodiscard]] bool persistent();
  /// Whether all panels of `m` rows and less get true partial pivoting.
  [[nodiscard]] bool partial(cl_uint m);

 private:
  struct Way {
    const KernelVariant* variant;
    std::unique_ptr<PanelKernel> kernel;
  };

  Way& way_for(cl_uint m);

  LuSetting setting_;
  std::vector<Way> ways_;
  PanelKernel* persistent_ = nullptr;  // one of them
  PanelWays which_;
};

}  // namespace clgauss
