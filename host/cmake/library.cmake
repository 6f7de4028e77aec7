# The library clgauss as callers get it, static or shared, and its installation. Only the names of host/include leave it: a caller's
# own <CL/opencl.hpp>, whose inline functions have the same names and other settings, must not take the place of the one in here.

# Of the binary interface: one more wherever a program that was linked before may not run with this any more.
set(clgauss_soversion 1)

# The objects of these object libraries.
function(objects_of result)
  list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  set(${result} "${objects}" PARENT_SCOPE)
endfunction()
# The same, but for what opens the modules of formats.
set(core_parts clgauss_objects clgauss_loops clgauss_no_modules)
set(core_objects $<FILTER:$<TARGET_OBJECTS:clgauss_objects>,EXCLUDE,/io/module[.]cpp> $<TARGET_OBJECTS:clgauss_loops>
    $<TARGET_OBJECTS:clgauss_no_modules>)

function(add_public_library name objects)  # further: the object libraries that these are of
  if(BUILD_SHARED_LIBS)
    add_library(${name} SHARED ${objects})
    set_target_properties(${name} PROPERTIES VERSION ${clgauss_soversion}.${PROJECT_VERSION} SOVERSION ${clgauss_soversion})
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux")  # a thread of its own may wait for helpers when a program closes it
      target_link_options(${name} PRIVATE -Wl,-z,nodelete)
    endif()
  elseif(NOT CMAKE_OBJCOPY)
    # Without the binary utilities of GNU (macOS) nothing makes the hidden names local.
    add_library(${name} STATIC ${objects})
  else()
    # One object, of which the hidden names are made local; it must be code by then.
    set_target_properties(${ARGN} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
    set(joined ${PROJECT_BINARY_DIR}/${name}_joined.o)
    list(TRANSFORM objects REPLACE "(.+)" "$<FILTER:\\1,INCLUDE,[.]o$>")  # not the precompiled header
    add_custom_command(
      OUTPUT ${joined}
      COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${joined} "${objects}"
      COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${joined}
      DEPENDS ${ARGN} "${objects}"
      COMMENT "Joining the objects of lib${name}.a"
      COMMAND_EXPAND_LISTS VERBATIM)
    add_library(${name} STATIC ${joined})
    target_link_libraries(${name} INTERFACE $<$<NOT:$<LINK_LANGUAGE:CXX>>:stdc++> m)  # a program in C or Fortran
  endif()
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/host/include>)
  target_link_libraries(${name} PUBLIC OpenCL::OpenCL OpenCL::HeadersCpp PRIVATE Threads::Threads fmt::fmt ZLIB::ZLIB)
endfunction()

objects_of(objects clgauss_objects clgauss_loops)
add_public_library(clgauss "${objects}" clgauss_objects clgauss_loops)
add_dependencies(clgauss clgauss_formats)
add_library(clgauss::clgauss ALIAS clgauss)
# In place of it, for programs that have files of .npz, .mat and HDF5 read by nobody.
add_public_library(clgauss_core "${core_objects}" ${core_parts})
set_target_properties(clgauss_core PROPERTIES EXPORT_NAME core)
if(NOT CLGAUSS_INSTALL)
  set_target_properties(clgauss_core PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
add_library(clgauss::core ALIAS clgauss_core)
if(starpu_found)  # in place of the other: it has its objects in it
  objects_of(objects clgauss_objects clgauss_loops clgauss_distributed_objects)
  add_public_library(clgauss_distributed "${objects}" clgauss_objects clgauss_loops clgauss_distributed_objects)
  target_link_libraries(clgauss_distributed PRIVATE PkgConfig::STARPU MPI::MPI_CXX)
  set_target_properties(clgauss_distributed PROPERTIES EXPORT_NAME distributed)
  add_library(clgauss::distributed ALIAS clgauss_distributed)
endif()

if(NOT CLGAUSS_INSTALL)
  return()
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/clgauss)
install(TARGETS clgauss EXPORT clgaussTargets
  LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS clgauss_core EXPORT clgaussTargets
  LIBRARY COMPONENT core_runtime NAMELINK_COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES host/include/clgauss.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY host/include/clgauss DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} PATTERN distributed.hpp EXCLUDE)
install(EXPORT clgaussTargets NAMESPACE clgauss:: DESTINATION ${package_folder})
configure_package_config_file(host/cmake/clgaussConfig.cmake.in ${PROJECT_BINARY_DIR}/clgaussConfig.cmake
  INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/clgaussConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/clgaussConfig.cmake ${PROJECT_BINARY_DIR}/clgaussConfigVersion.cmake
  DESTINATION ${package_folder})

file(RELATIVE_PATH to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
function(install_pkg_config name library description component)  # further: what a static library needs beside these
  list(JOIN ARGN " " needed)
  # What a shared library needs it names itself.
  set(private_parts "Requires.private: fmt zlib\nLibs.private: ${needed} -pthread -lstdc++ -lm\n")
  if(BUILD_SHARED_LIBS)
    set(private_parts)
  endif()
  configure_file(host/cmake/clgauss.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${component})
endfunction()
install_pkg_config(clgauss clgauss "${PROJECT_DESCRIPTION}" development)
install_pkg_config(clgauss-core clgauss_core "${PROJECT_DESCRIPTION}, without files of .npz, .mat and HDF5" development)

if(starpu_found)  # packages of their own: they need StarPU and MPI
  install(TARGETS clgauss_distributed EXPORT clgaussDistributedTargets
    ARCHIVE COMPONENT distributed_development
    LIBRARY COMPONENT distributed_runtime NAMELINK_COMPONENT distributed_development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(FILES host/include/clgauss/distributed.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/clgauss COMPONENT distributed_development)
  install(EXPORT clgaussDistributedTargets NAMESPACE clgauss:: DESTINATION ${package_folder} COMPONENT distributed_development)
  list(TRANSFORM STARPU_LIBRARIES PREPEND -l OUTPUT_VARIABLE starpu_link_options)  # its package would ask for what a static StarPU needs
  install_pkg_config(clgauss-distributed clgauss_distributed "${PROJECT_DESCRIPTION}, and beyond one device" distributed_development
    ${starpu_link_options} ${MPI_CXX_LIBRARIES})
endif()
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME programs)  # what else is installed, see package.cmake
