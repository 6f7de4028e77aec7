# libclgauss_layer.so, which `clgauss-tune watch` puts between any program and its OpenCL drivers. It is loaded into others' programs,
# which may have clgauss themselves: so it has few of the library's sources in it, and hides every name.

file(GLOB layer_sources CONFIGURE_DEPENDS tuner/layer/*.cpp)
list(FILTER layer_sources EXCLUDE REGEX "/entry.cpp$")
add_library(clgauss_layer_parts STATIC EXCLUDE_FROM_ALL ${layer_sources})
target_include_directories(clgauss_layer_parts PUBLIC host host/include ${PROJECT_SOURCE_DIR})
target_include_directories(clgauss_layer_parts SYSTEM PRIVATE ${XXHASH_INCLUDE})
target_compile_definitions(clgauss_layer_parts PUBLIC $<TARGET_PROPERTY:clgauss_objects,INTERFACE_COMPILE_DEFINITIONS>)
target_link_libraries(clgauss_layer_parts PUBLIC OpenCL::Headers OpenCL::HeadersCpp Threads::Threads fmt::fmt Boost::headers
  nlohmann_json::nlohmann_json)
hide_names(clgauss_layer_parts)

# A sanitizer's own library must be the first of a program's: ThreadSanitizer's is, in tests/long/threads.sh.
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR CLGAUSS_SANITIZE MATCHES "address")
  return()
endif()
add_library(clgauss_layer MODULE tuner/layer/entry.cpp host/operating_system.cpp host/program/program_cache.cpp
  host/session/user_folder.cpp host/statistics.cpp tuner/measure/estimate.cpp tuner/rows/table.cpp)
set_target_properties(clgauss_layer PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/layer
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/host/cmake/layer.map)
target_link_libraries(clgauss_layer PRIVATE clgauss_layer_parts -Wl,-soname,libclgauss_layer.so
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/host/cmake/layer.map)
hide_names(clgauss_layer)
# No source takes <CL/opencl.hpp>, which would ask for a loader of its own: a program may keep its loader to itself.
if(NOT CLGAUSS_SANITIZE)
  target_link_options(clgauss_layer PRIVATE -Wl,-z,defs)
endif()
if(CLGAUSS_INSTALL)
  # Where programs find it by its name alone: OPENCL_LAYERS=libclgauss_layer.so.
  install(TARGETS clgauss_layer LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT layer)
endif()
