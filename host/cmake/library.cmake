# The library clgauss as callers get it, static or shared, and its installation. Only the names of host/include leave it: a caller's
# own <CL/opencl.hpp>, whose inline functions have the same names and other settings, must not take the place of the one in here.

if(BUILD_SHARED_LIBS)
  set_target_properties(clgauss_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
  add_library(clgauss SHARED $<TARGET_OBJECTS:clgauss_objects>)
  # Of the binary interface: one more wherever a program that was linked before may not run with this any more.
  set(clgauss_soversion 1)
  set_target_properties(clgauss PROPERTIES VERSION ${clgauss_soversion}.${PROJECT_VERSION} SOVERSION ${clgauss_soversion})
elseif(NOT CMAKE_OBJCOPY)
  # Without the binary utilities of GNU (macOS) nothing makes the hidden names local.
  add_library(clgauss STATIC $<TARGET_OBJECTS:clgauss_objects>)
else()
  # One object, of which the hidden names are made local; it must be code by then.
  set_target_properties(clgauss_objects PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
  set(joined ${PROJECT_BINARY_DIR}/clgauss_joined.o)
  set(objects $<FILTER:$<TARGET_OBJECTS:clgauss_objects>,INCLUDE,[.]o$>)  # not the precompiled header
  add_custom_command(
    OUTPUT ${joined}
    COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${joined} "${objects}"
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${joined}
    DEPENDS clgauss_objects "${objects}"
    COMMENT "Joining the objects of libclgauss.a"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_library(clgauss STATIC ${joined})
  target_link_libraries(clgauss INTERFACE $<$<NOT:$<LINK_LANGUAGE:CXX>>:stdc++>)  # a program in C or Fortran
endif()
add_library(clgauss::clgauss ALIAS clgauss)
set_target_properties(clgauss PROPERTIES LINKER_LANGUAGE CXX)
target_compile_features(clgauss PUBLIC cxx_std_20)
target_include_directories(clgauss PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/host/include>)
target_link_libraries(clgauss PUBLIC OpenCL::OpenCL OpenCL::HeadersCpp PRIVATE Threads::Threads fmt::fmt Boost::iostreams
  "$<BUILD_INTERFACE:${format_libraries}>" "$<INSTALL_INTERFACE:${format_library_names}>")

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
install(FILES host/include/clgauss.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY host/include/clgauss DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT clgaussTargets NAMESPACE clgauss:: DESTINATION ${package_folder})
configure_package_config_file(host/cmake/clgaussConfig.cmake.in ${PROJECT_BINARY_DIR}/clgaussConfig.cmake
  INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/clgaussConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/clgaussConfig.cmake ${PROJECT_BINARY_DIR}/clgaussConfigVersion.cmake
  DESTINATION ${package_folder})

file(RELATIVE_PATH to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
list(TRANSFORM format_library_names PREPEND -l OUTPUT_VARIABLE format_link_options)
list(JOIN format_link_options " " format_link_options)
# What a shared library needs it names itself.
set(private_parts "Requires.private: fmt\nLibs.private: -lboost_iostreams ${format_link_options} -pthread -lstdc++ -lm\n")
if(BUILD_SHARED_LIBS)
  set(private_parts)
endif()
configure_file(host/cmake/clgauss.pc.in ${PROJECT_BINARY_DIR}/clgauss.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/clgauss.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME programs)  # what else is installed, see package.cmake
