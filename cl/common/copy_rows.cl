// Copies of an n-column matrix, a row a work-group of any size; NDRange: as many groups as rows. No
// local memory.
//
//   gather_rows   to(i, :) <- from(rows[i], :), with its rows in another order
//   narrow        the same numbers rounded to float
//   widen         floats as REAL
//   lower         the triangle below the diagonal, of ones on it and zeros above
//   upper         the triangle from the diagonal on, of zeros below
//
//   from + from_offset, to + to_offset   row-major, from_ld and to_ld, in elements of their own
//                                        type

#include "common.clh"

#define ROW_OF(p, i) (p + p##_offset + (ulong)(i)*p##_ld)
#define EACH_COLUMN for (uint j = get_local_id(0); j < n; j += get_local_size(0))

kernel void gather_rows(const global REAL* restrict from, ulong from_offset, uint from_ld,
                        global REAL* restrict to, ulong to_offset, uint to_ld, uint n,
                        const global int* restrict rows) {
  const global REAL* row = ROW_OF(from, rows[get_group_id(0)]);
  global REAL* out = ROW_OF(to, get_group_id(0));
  EACH_COLUMN out[j] = row[j];
}

kernel void narrow(const global REAL* restrict from, ulong from_offset, uint from_ld,
                   global float* restrict to, ulong to_offset, uint to_ld, uint n) {
  const global REAL* row = ROW_OF(from, get_group_id(0));
  global float* out = ROW_OF(to, get_group_id(0));
  EACH_COLUMN out[j] = (float)row[j];
}

kernel void widen(const global float* restrict from, ulong from_offset, uint from_ld,
                  global REAL* restrict to, ulong to_offset, uint to_ld, uint n) {
  const global float* row = ROW_OF(from, get_group_id(0));
  global REAL* out = ROW_OF(to, get_group_id(0));
  EACH_COLUMN out[j] = row[j];
}

kernel void lower(const global REAL* restrict from, ulong from_offset, uint from_ld,
                  global REAL* restrict to, ulong to_offset, uint to_ld, uint n) {
  const uint i = get_group_id(0);
  const global REAL* row = ROW_OF(from, i);
  global REAL* out = ROW_OF(to, i);
  EACH_COLUMN out[j] = j < i ? row[j] : (REAL)(j == i);
}

kernel void upper(const global REAL* restrict from, ulong from_offset, uint from_ld,
                  global REAL* restrict to, ulong to_offset, uint to_ld, uint n) {
  const uint i = get_group_id(0);
  const global REAL* row = ROW_OF(from, i);
  global REAL* out = ROW_OF(to, i);
  EACH_COLUMN out[j] = j >= i ? row[j] : 0;
}
