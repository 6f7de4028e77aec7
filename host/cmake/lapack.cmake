# libclgauss_lapack.so, which `clgauss run` preloads: LAPACK's names, in C, and small. It opens libclgauss_core.so at the first
# large call: what it loads into others' programs is to be little.

# No other system preloads a library by this name; a sanitizer's own library must be the first.
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR CLGAUSS_SANITIZE)
  return()
endif()
enable_language(C)
set(lapack_folder ${PROJECT_BINARY_DIR}/lapack)

file(GLOB lapack_sources CONFIGURE_DEPENDS host/lapack/*.c)
add_library(clgauss_lapack SHARED ${lapack_sources})
set_target_properties(clgauss_lapack PROPERTIES C_STANDARD 11 C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden UNITY_BUILD OFF
  LIBRARY_OUTPUT_DIRECTORY ${lapack_folder} BUILD_RPATH "${lapack_folder};${PROJECT_BINARY_DIR}" INSTALL_RPATH "$ORIGIN;$ORIGIN/..")
target_include_directories(clgauss_lapack PRIVATE host/include)
target_compile_definitions(clgauss_lapack PRIVATE CLGAUSS_LIBRARY="libclgauss_core.so.${clgauss_soversion}")
target_link_libraries(clgauss_lapack PRIVATE Threads::Threads m ${CMAKE_DL_LIBS})

if(BUILD_SHARED_LIBS)
  add_dependencies(clgauss_lapack clgauss_core)
else()
  add_library(clgauss_for_lapack SHARED ${core_objects})
  set_target_properties(clgauss_for_lapack PROPERTIES OUTPUT_NAME clgauss_core LINKER_LANGUAGE CXX UNITY_BUILD OFF
    VERSION ${clgauss_soversion}.${PROJECT_VERSION} SOVERSION ${clgauss_soversion} LIBRARY_OUTPUT_DIRECTORY ${lapack_folder})
  target_link_libraries(clgauss_for_lapack PRIVATE OpenCL::OpenCL Threads::Threads fmt::fmt ZLIB::ZLIB)
  add_dependencies(clgauss_lapack clgauss_for_lapack)
endif()
add_dependencies(clgauss_program clgauss_lapack)

if(CLGAUSS_INSTALL)
  # In a folder of its own: nobody links it.
  install(TARGETS clgauss_lapack LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/clgauss COMPONENT lapack)
  if(NOT BUILD_SHARED_LIBS)
    install(TARGETS clgauss_for_lapack LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/clgauss COMPONENT lapack NAMELINK_SKIP)
  endif()
endif()
