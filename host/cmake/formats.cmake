# libclgauss_npz.so, libclgauss_mat.so and libclgauss_h5.so: the formats of files that take further libraries, a module each. The library
# opens a module at the first such file (host/io/module.cpp), so that nobody else loads these libraries: HDF5 alone brings thirty along.

# AUTO takes what is installed, ON insists, OFF does without; what is missing is said where such a file is met.
add_custom_target(clgauss_formats)
function(add_format_module option format header package)  # further: NAMES of the library, then SUFFIXES of the header's folder
  cmake_parse_arguments(PARSE_ARGV 4 found "" "" "NAMES;SUFFIXES")
  set(CLGAUSS_WITH_${option} AUTO CACHE STRING "Files by ${package}: AUTO, ON or OFF")
  if(CLGAUSS_WITH_${option} STREQUAL "OFF")
    return()
  endif()
  find_library(CLGAUSS_${option}_LIBRARY NAMES ${found_NAMES})
  find_path(CLGAUSS_${option}_INCLUDE ${header} PATH_SUFFIXES ${found_SUFFIXES})
  mark_as_advanced(CLGAUSS_${option}_LIBRARY CLGAUSS_${option}_INCLUDE)
  if(NOT CLGAUSS_${option}_LIBRARY OR NOT CLGAUSS_${option}_INCLUDE)
    if(NOT CLGAUSS_WITH_${option} STREQUAL "AUTO")
      message(FATAL_ERROR "CLGAUSS_WITH_${option} is ON, and ${package} is not installed")
    endif()
    message(STATUS "clgauss: without the files of ${package}, which is not installed")
    return()
  endif()
  set(module clgauss_${format})
  add_library(${module} MODULE host/formats/${format}.cpp host/formats/border.cpp)
  set_target_properties(${module} PROPERTIES UNITY_BUILD OFF SUFFIX .so LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_include_directories(${module} PRIVATE host host/include)
  target_include_directories(${module} SYSTEM PRIVATE ${CLGAUSS_${option}_INCLUDE})
  target_compile_definitions(${module} PRIVATE CLGAUSS_PROJECT_VERSION="${PROJECT_VERSION}")
  target_compile_options(${module} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_link_libraries(${module} PRIVATE ${CLGAUSS_${option}_LIBRARY} fmt::fmt)
  hide_names(${module})
  add_dependencies(clgauss_formats ${module})
  if(CLGAUSS_INSTALL)
    install(TARGETS ${module} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/clgauss COMPONENT formats)
  endif()
endfunction()
add_format_module(ZIP npz zip.h libzip-dev NAMES zip)
add_format_module(MATIO mat matio.h libmatio-dev NAMES matio)
add_format_module(HDF5 h5 hdf5.h libhdf5-dev NAMES hdf5_serial hdf5 SUFFIXES hdf5/serial)

# Where the library looks for them beside its own folder: below lib from the folder of the programs, and where they are installed. Part of
# another project that does not install them they stay where they are built.
file(RELATIVE_PATH library_folder /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR}/clgauss)
set(module_folder ${CMAKE_INSTALL_FULL_LIBDIR}/clgauss)
if(NOT CLGAUSS_INSTALL)
  set(module_folder ${PROJECT_BINARY_DIR})
endif()
set(module_opener ${PROJECT_SOURCE_DIR}/host/io/module.cpp)
# Both sides have the same border, or have nothing to do with each other.
file(SHA256 ${PROJECT_SOURCE_DIR}/host/formats/border.hpp border)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS host/formats/border.hpp)
set_source_files_properties(${module_opener} host/formats/border.cpp PROPERTIES COMPILE_DEFINITIONS
  "CLGAUSS_BORDER=\"${border}\";CLGAUSS_MODULE_FOLDER=\"${module_folder}\";CLGAUSS_LIBRARY_FOLDER=\"${library_folder}\"")
