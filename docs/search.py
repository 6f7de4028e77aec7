#!/usr/bin/env python3
"""Writes the figures of search.md and search_tables.md, in this folder, from data/runs/search_peers.csv.

  docs/search.py            writes them
  docs/search.py --check    fails if they are not what it would write
"""

from performance import filled, rows_of, table, write_or_check

EVALUATIONS = ["10", "25", "50", "100", "200"]
OURS = "clgauss model"
# The search was built on these; what it does elsewhere was looked at when it was done.
BUILT_ON = {"convolution_A100", "convolution_A4000", "convolution_W6600", "gemm_RTX_2080_Ti", "gemm_RTX_Titan", "pnpoly_RTX_Titan"}
MUSTS = [("median", "50", 0.90), ("median", "100", 0.97), ("p10", "50", 0.75)]
MOST_BEHIND = 0.02


def by_space():
    spaces = {}
    for row in rows_of("search_peers.csv"):
        spaces.setdefault(row["space"], []).append(row)
    return dict(sorted(spaces.items()))


def shares(row):
    return [f"{float(row[f'median_{e}']):.3f} ({float(row[f'p10_{e}']):.3f})" for e in EVALUATIONS]


def name_of(contestant):
    name = contestant.replace("kernel_tuner", "Kernel Tuner,").replace(OURS, "**clgauss**")
    return "Kernel Tuner, its default" if name == "Kernel Tuner, brute_force" else name


def scores_by_contestant():
    scores = {}
    for space, contestants in by_space().items():
        for row in contestants:
            scores.setdefault(row["contestant"], {})[space] = float(row["score"])
    return scores


def answer_text():
    """Ours and the best peer's mean score over the spaces to judge by, among those run on all of them."""
    held_out = set(by_space()) - BUILT_ON
    means = {name: sum(of[space] for space in held_out) / len(held_out) for name, of in scores_by_contestant().items()
             if held_out <= of.keys()}
    best = max((name for name in means if name != OURS), key=means.get)
    return (f"On {len(held_out)} tuning spaces that the search was not built on, its mean score is {means[OURS]:.2f}; "
            f"the best of {name_of(best).replace(', ', chr(39) + 's strategies, ')}, has {means[best]:.2f}.")


def scores_table():
    """The mean score of each contestant over all spaces, over those to judge by, and over those the search was built on."""
    scores = scores_by_contestant()
    spaces = set(by_space())
    parts = [spaces, spaces - BUILT_ON, spaces & BUILT_ON]

    def mean(of, part):
        there = [score for space, score in of.items() if space in part]
        if not there:
            return "-"
        text = f"{sum(there) / len(there):.2f}"
        return text if len(there) == len(part) else f"{text} (of {len(there)})"

    order = sorted(scores, key=lambda contestant: -sum(scores[contestant].values()) / len(scores[contestant]))
    return table(["mean score of", f"all {len(parts[0])} spaces", f"the {len(parts[1])} to judge by", f"the {len(parts[2])} built on (*)"],
                 [[name_of(contestant), *(mean(scores[contestant], part) for part in parts)] for contestant in order])


def spaces_table():
    rows = []
    for space, contestants in by_space().items():
        contestants.sort(key=lambda row: (row["contestant"] != OURS, -float(row["median_50"])))
        for place, row in enumerate(contestants):
            first = f"{space}{'*' if space in BUILT_ON else ''} ({row['configurations']})" if place == 0 else ""
            rows.append([first, name_of(row["contestant"]), row["repeats"], *shares(row), f"{float(row['score']):.2f}"])
    return table(["space (configurations)", "search", "repeats", *EVALUATIONS, "score"], rows)


def misses():
    """Each must that is missed on a space the search was not built on, and where another search is ahead."""
    lines = []
    for space, contestants in by_space().items():
        own = next((row for row in contestants if row["contestant"] == OURS), None)
        if own is None:
            continue
        peers = [row for row in contestants if row is not own]
        if space not in BUILT_ON:
            for kind, evaluations, least in MUSTS:
                value = float(own[f"{kind}_{evaluations}"])
                if value < least:
                    lines.append(f"- {space}: {'the median' if kind == 'median' else 'the 10th percentile'} after {evaluations} is "
                                 f"{value:.3f}, below {least:.2f}.")
        for evaluations in EVALUATIONS:
            for peer in peers:
                behind = float(peer[f"median_{evaluations}"]) - float(own[f"median_{evaluations}"])
                if behind > MOST_BEHIND:
                    lines.append(f"- {space}: after {evaluations}, {peer['contestant'].replace('kernel_tuner', 'Kernel Tuner,')} is "
                                 f"{behind:.3f} ahead.")
    return "\n".join(lines) or "- None."


def count_text():
    spaces = by_space()
    held_out = [space for space in spaces if space not in BUILT_ON]
    return f"{len(spaces)} spaces, {len(held_out)} of them not among those that the search was built on (*)"


def pages():
    """(name of the page, what it should be)"""
    yield "search.md", filled("search.md", {"answer": answer_text(), "scores": scores_table(), "misses": misses(), "count": count_text()})
    yield "search_tables.md", filled("search_tables.md", {"spaces": spaces_table()})


def main():
    write_or_check("docs/search.py", dict(pages()))


if __name__ == "__main__":
    main()
