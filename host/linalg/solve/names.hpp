#pragma once
/// The names of options and results, as in C++, on the command line and in reports.

#include <algorithm>
#include <array>
#include <clgauss/solve.hpp>
#include <string_view>
#include <utility>

namespace clgauss {

template <typename T, std::size_t Count>
using Names = std::array<std::pair<std::string_view, T>, Count>;

inline constexpr Names<Accuracy, 3> kAccuracyNames{{{"single", Accuracy::single_precision},
                                                    {"double", Accuracy::double_precision},
                                                    {"max", Accuracy::maximum}}};
inline constexpr Names<Equilibration, 3> kEquilibrationNames{
    {{"auto", Equilibration::automatic}, {"on", Equilibration::on}, {"off", Equilibration::off}}};
inline constexpr Names<Judge, 2> kJudgeNames{{{"host", Judge::host}, {"device", Judge::device}}};
inline constexpr Names<Pivoting, 4> kPivotingNames{{{"partial", Pivoting::partial},
                                                    {"tournament", Pivoting::tournament},
                                                    {"rook", Pivoting::rook},
                                                    {"none", Pivoting::none}}};
inline constexpr Names<SolveStatus, 5> kStatusNames{
    {{"ok", SolveStatus::ok},
     {"singular", SolveStatus::singular},
     {"overflow", SolveStatus::overflow},
     {"inaccurate", SolveStatus::inaccurate},
     {"not_positive_definite", SolveStatus::not_positive_definite}}};

inline constexpr Names<Doubt, 4> kDoubtNames{{{"unknown", Doubt::unknown},
                                              {"none", Doubt::none},
                                              {"few_digits", Doubt::few_digits},
                                              {"nearly_singular", Doubt::nearly_singular}}};

template <typename T, std::size_t Count>
constexpr std::string_view name_in(const Names<T, Count>& names, T value) {
  return std::ranges::find(names, value, &std::pair<std::string_view, T>::second)->first;
}

}  // namespace clgauss
