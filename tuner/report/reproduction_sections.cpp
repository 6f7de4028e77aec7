#include "tuner/report/reproduction_sections.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/report/html.hpp"
#include "tuner/report/reproduction_figures.hpp"
#include "tuner/reproduce/reproduction.hpp"

namespace clgauss::tune::report {

namespace {

std::vector<Row> rows_of_experiment(const std::vector<Results>& results, std::string_view name) {
  std::vector<Row> rows;
  for (const Results& folder : results)
    std::ranges::copy_if(folder.rows, std::back_inserter(rows),
                         [&](const Row& row) { return row.experiment == name; });
  return rows;
}

std::string body_of(std::vector<Figure> figures, Illustrator& illustrator) {
  std::string body = "<div class=\"figures\">\n";
  for (Figure& figure : figures) body += illustrator.draw(std::move(figure));
  return body + "</div>\n";
}

/// The section of one reproduction; none if it was not run.
void add_section(std::vector<Section>& sections, const std::vector<Results>& results,
                 const Reproduction& what, const ReproductionFigures& drawn,
                 Illustrator& illustrator) {
  const std::vector<Row> rows = rows_of_experiment(results, what.name);
  if (rows.empty()) return;
  const Measured measured(rows);
  const Findings findings = what.findings(rows);
  sections.push_back({std::string(what.source), drawn.verdict(measured), findings.remarks,
                      findings.tables, body_of(drawn.figures(measured), illustrator)});
}

}  // namespace

std::vector<Section> product_sections(const std::vector<Results>& results,
                                      Illustrator& illustrator) {
  std::vector<Section> sections;
  add_section(sections, results, matmul_ladder(), ladder_figures(), illustrator);
  add_section(sections, results, matmul_kernels(), kernels_figures(), illustrator);
  add_section(sections, results, matmul_cpu_gpu(), cpu_gpu_figures(), illustrator);
  return sections;
}

std::vector<Section> bandwidth_sections(const std::vector<Results>& results,
                                        Illustrator& illustrator) {
  std::vector<Section> sections;
  add_section(sections, results, bandwidth(), bandwidth_figures(), illustrator);
  return sections;
}

}  // namespace clgauss::tune::report
