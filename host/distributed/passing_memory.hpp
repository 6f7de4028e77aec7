#pragma once
/// Host memory for blocks of other ranks, which come and go. As many pieces as pass by at once are
/// kept for reuse. Otherwise the system clears new memory page by page for each block (measured on
/// two ranks on two cores, n = 8192: about 1 s of 7.3).

namespace clgauss {

/// Makes StarPU allocate its host memory here. Call it before starpu_init().
void keep_passing_memory();

/// Frees the kept memory. Call it after starpu_shutdown().
void free_passing_memory();

}  // namespace clgauss
