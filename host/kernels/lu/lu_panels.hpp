#pragma once
/// The ways to factor a panel, P A = L U for a tall A of at most kPanelWidth columns.

#include <memory>
#include <vector>

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// Columns of a panel.
inline constexpr cl_uint kPanelWidth = 32;

/// The m-by-width panel at `a`, whose first row is row `row` of the matrix; pivots[row + j] becomes
/// the row that was exchanged with row + j. `left` columns on its left get the same exchanges; in
/// `right` columns on its right B <- L11^-1 P B.
struct Panel {
  const MatrixView& a;
  cl_uint m, width, row;
  const cl::Buffer& pivots;
  cl_uint left = 0, right = 0;
};

/// One way to factor panels.
class PanelKernel {
 public:
  PanelKernel() = default;
  virtual ~PanelKernel() = default;
  PanelKernel(const PanelKernel&) = delete;
  PanelKernel& operator=(const PanelKernel&) = delete;

  /// Whether the device and the parameters allow it for panels of `m` rows.
  [[nodiscard]] virtual bool fits(cl_uint m) const = 0;
  /// Whether its kernels for panels of `m` rows passed their self-test. `m` must fit.
  virtual bool works(cl_uint m) = 0;
  /// The macros of the build for panels of `m` rows.
  [[nodiscard]] virtual Defines macros(cl_uint m) const = 0;
  virtual void build(cl_uint m) = 0;
  virtual void factor(const cl::CommandQueue& queue, const Panel& panel) = 0;
  /// Whether factor() also processes the columns beside this panel; otherwise it does not change
  /// them.
  [[nodiscard]] virtual bool works_beside(const Panel& /*panel*/) const { return false; }
  /// The number of work-groups that wait for each other in a panel of `m` rows.
  [[nodiscard]] virtual cl_uint waiting_groups(cl_uint /*m*/) const { return 0; }
};

// Each way is implemented in the file of its name and has a row in lu_panels.cpp.

/// One work-group with one column per sub-group, using vendor instructions.
[[nodiscard]] const KernelVariant& panel_columns_variant();
[[nodiscard]] std::unique_ptr<PanelKernel> make_panel_columns(const LuSetting& setting);
/// Each work-group owns the rows of a few sub-groups. All groups are resident at once, so that they
/// may wait for each other at every column.
[[nodiscard]] const KernelVariant& panel_persistent_variant();
[[nodiscard]] std::unique_ptr<PanelKernel> make_panel_persistent(const LuSetting& setting);
/// One work-group, portable.
[[nodiscard]] const KernelVariant& panel_group_variant();
[[nodiscard]] std::unique_ptr<PanelKernel> make_panel_group(const LuSetting& setting);
/// As panel_persistent_variant(), without sub-groups and vendor instructions.
[[nodiscard]] const KernelVariant& panel_waiting_variant();
[[nodiscard]] std::unique_ptr<PanelKernel> make_panel_waiting(const LuSetting& setting);
/// Tournament pivoting: work-groups choose candidate rows, and further rounds choose among the
/// candidates of several groups.
[[nodiscard]] const KernelVariant& panel_tournament_variant();
[[nodiscard]] std::unique_ptr<PanelKernel> make_panel_tournament(const LuSetting& setting);
/// Partial pivoting with two launches per column, for panels that no other way supports.
[[nodiscard]] const KernelVariant& panel_tall_variant();
[[nodiscard]] std::unique_ptr<PanelKernel> make_panel_tall(const LuSetting& setting);

/// KernelVariant::ask of a way: self-tests panels of these heights, as far as they fit.
void ask_panels(Context& context, RealType type,
                std::unique_ptr<PanelKernel> (*make)(const LuSetting& setting),
                const std::vector<cl_uint>& heights);

/// Which ways are allowed for a panel that is too large for one work-group.
enum class PanelWays {
  fastest,     // work-groups that wait for each other, else tournament pivoting
  tournament,  // never work-groups that wait for each other
  partial      // always partial pivoting
};

/// The variants of PanelWays::fastest, in the order in which they are tried.
[[nodiscard]] std::vector<const KernelVariant*> panel_variants();

/// Factors panels, each with the first way that fits and works.
class Panels {
 public:
  Panels(const LuSetting& setting, PanelWays which);

  /// Builds the kernels for panels of `m` rows. Throws NoUsableKernel.
  void prepare(cl_uint m);

  /// Factors a panel. Returns whether the columns beside it are done, too.
  bool factor(const cl::CommandQueue& queue, const Panel& panel);

  /// Work-groups that must be resident at once to factor a panel of `m` rows; 0 if none waits.
  [[nodiscard]] cl_uint waiting_groups(cl_uint m) { return way_for(m).kernel->waiting_groups(m); }

  /// Whether the work-groups of panel_persistent_variant() were shown to be resident at once. Then
  /// other kernels with such packets may wait, too.
  [[nodiscard]] bool persistent();
  /// Whether all panels of at most `m` rows get partial pivoting.
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
