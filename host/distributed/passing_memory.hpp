#pragma once
/// Host memory for blocks of other ranks, which come and go: as many as pass by at once are kept
/// for the next. Without that each block is memory that the system clears page by page (measured:
/// two ranks on two cores, n = 8192, about 1 s of 7.3).

namespace clgauss {

/// From now on StarPU takes its memory on the host from here; before starpu_init().
void keep_passing_memory();

/// Frees what is kept; after starpu_shutdown().
void free_passing_memory();

}  // namespace clgauss
