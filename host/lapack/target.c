/* Finds the routine that a call was meant for. RTLD_NEXT alone would miss it in libraries that were
 * loaded for one caller (such as Python's modules), so the caller's own dependencies are searched
 * first. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct library* libraries;

void forget_target_lock(void) { pthread_mutex_init(&lock, NULL); }

static void* enough_memory(size_t bytes) {
  void* const memory = calloc(1, bytes);
  if (memory == NULL) {
    fputs("clgauss: no memory left\n", stderr);
    abort();
  }
  return memory;
}

/* Finds the loaded object that contains an address. */
struct object {
  uintptr_t address, first, last;
};

static int contains(struct dl_phdr_info* info, size_t size, void* data) {
  struct object* const object = data;
  uintptr_t first = UINTPTR_MAX, last = 0;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    const uintptr_t end = begin + info->dlpi_phdr[i].p_memsz;
    if (begin < first) first = begin;
    if (end > last) last = end;
  }
  if (object->address < first || object->address >= last) return 0;
  object->first = first;
  object->last = last;
  return 1;
}

void* symbol_of(const char* path, const char* symbol) {
  void* const handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == NULL) return NULL;
  void* const found = dlsym(handle, symbol);
  dlclose(handle);
  return found;
}

static const char* path_of(const void* address) {
  Dl_info info;
  return dladdr(address, &info) != 0 && info.dli_fname != NULL ? info.dli_fname : "";
}

/* Whether the routine belongs to this library. */
static int is_ours(const void* routine) {
  return strcmp(path_of(routine), path_of((const void*)target_of)) == 0;
}

struct search {
  const char* symbol;
  void* found;
};

static int has_symbol(struct dl_phdr_info* info, size_t size, void* data) {
  struct search* const search = data;
  (void)size;
  if (info->dlpi_name == NULL || info->dlpi_name[0] == '\0') return 0;
  void* const found = symbol_of(info->dlpi_name, search->symbol);
  if (found == NULL || is_ours(found)) return 0;
  search->found = found;
  return 1;
}

static void* find_routine(const char* symbol, const void* caller) {
  const char* const path = path_of(caller);
  /* The program itself has no path for dlopen(). */
  void* found = strchr(path, '/') != NULL ? symbol_of(path, symbol) : NULL;
  if (found == NULL || is_ours(found)) found = dlsym(RTLD_NEXT, symbol);
  if (found != NULL && !is_ours(found)) return found;
  struct search search = {symbol, NULL};
  dl_iterate_phdr(has_symbol, &search);
  if (search.found == NULL) {
    fprintf(stderr, "clgauss: symbol lookup error: no library has %s\n", symbol);
    exit(127);
  }
  return search.found;
}

/* Determines whether a library's integers have 64 bits. n is a negative 64-bit number whose lower
 * 32 bits are 1: with 64-bit integers, LAPACK's izmax1 returns 0. The library's name does not tell:
 * Debian's liblapack64 has the names of liblapack. */
static void ask_width(struct library* library, const struct site* site) {
  char name[64];
  snprintf(name, sizeof name, "%sizmax1%s", site->prefix, site->suffix);
  int (*izmax1)(const int64_t*, const double*, const int64_t*) = NULL;
  *(void**)&izmax1 = symbol_of(library->path, name);
  if (izmax1 == NULL) return;
  const int64_t n = (int64_t)0xffffffff00000001ULL, step = 1;
  const double number[2] = {1, 0};
  library->is_wide = izmax1(&n, number, &step) != 1;
  library->is_known = 1;
}

static struct library* library_of(const void* routine, const struct site* site) {
  const char* const path = path_of(routine);
  for (struct library* known = libraries; known != NULL; known = known->next)
    if (strcmp(known->path, path) == 0) return known;
  struct library* const library = enough_memory(sizeof *library);
  snprintf(library->path, sizeof library->path, "%s", path);
  ask_width(library, site);
  library->next = libraries;
  libraries = library;
  return library;
}

const struct target* target_of(struct site* site, const void* caller) {
  const uintptr_t address = (uintptr_t)caller;
  for (const struct target* target = atomic_load_explicit(&site->targets, memory_order_acquire);
       target != NULL; target = target->next)
    if (address >= target->first && address < target->last) return target;
  struct target* const target = enough_memory(sizeof *target);
  struct object object = {address, 0, UINTPTR_MAX}; /* code made at run time belongs to no object */
  dl_iterate_phdr(contains, &object);
  target->first = object.first;
  target->last = object.last;
  target->routine = find_routine(site->symbol, caller);
  pthread_mutex_lock(&lock);
  target->library = library_of(target->routine, site);
  target->next = atomic_load_explicit(&site->targets, memory_order_relaxed);
  atomic_store_explicit(&site->targets, target, memory_order_release);
  pthread_mutex_unlock(&lock);
  return target;
}
