# cpack -G DEB: the packages clgauss (programs, man pages, completions), libclgauss1, libclgauss-core1, libclgauss-dev,
# libclgauss-formats, libclgauss-lapack, libclgauss-layer; where StarPU was found
# clgauss-distributed, libclgauss-distributed1 and libclgauss-distributed-dev; and python3-clgauss where the Python package is
# installed along. The preset `package` configures for it: the shared library, in Debian's places.
get_cmake_property(installed_components COMPONENTS)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME clgauss)
set(CPACK_PACKAGE_VENDOR clgauss)
# Who makes packages for others names himself; clgauss has no address for mail, and .invalid is nobody's.
set(CLGAUSS_MAINTAINER "The clgauss authors <no-mail@clgauss.invalid>" CACHE STRING "Maintainer of the Debian packages")
set(CPACK_PACKAGE_CONTACT "${CLGAUSS_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/host/cmake/package_documents.cmake)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_THREADS 0)  # all cores

# The name of a package, its section, what it needs beside the libraries it is linked to, and what it says of itself.
set(CPACK_COMPONENTS_ALL)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # else the first line of every package's
set(about "clgauss solves dense systems of linear equations A x = b on OpenCL
devices, a GPU or only a CPU, with LU on the device, iterative refinement,
and a residual for every answer.")
function(add_package component name section depends summary description)
  if(NOT component IN_LIST installed_components)
    return()
  endif()
  string(TOUPPER ${component} upper)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${about}\n.\n${description}" PARENT_SCOPE)
endfunction()
set(version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
set(library libclgauss${clgauss_soversion})
add_package(programs clgauss math "" "dense linear systems on every OpenCL device"
  "This package has the program clgauss, and clgauss-tune, which measures
what the work-group size is worth and tunes clgauss for a device.")
add_package(distributed clgauss-distributed math "clgauss (= ${version}), openmpi-bin"
  "dense linear systems on every OpenCL device - several devices"
  "This package has what `clgauss solve' starts for systems beyond one
device: several devices, machines, and matrices larger than a device's
memory, by StarPU and MPI.")
add_package(runtime ${library} libs "" "dense linear systems on every OpenCL device - library"
  "This package has the shared library.")
set(core_library libclgauss-core${clgauss_soversion})
set(formats_library libclgauss-formats)
add_package(formats ${formats_library} libs "" "dense linear systems on every OpenCL device - files of .npz, .mat and HDF5"
  "This package has what the library opens for the first file of .npz, .mat
or HDF5, and brings libzip, libmatio and libhdf5.")
add_package(core_runtime ${core_library} libs "" "dense linear systems on every OpenCL device - library without HDF5"
  "This package has the shared library without the files of .npz, .mat and
HDF5.")
add_package(development libclgauss-dev libdevel
  "${library} (= ${version}), ${core_library} (= ${version}), ocl-icd-opencl-dev, opencl-c-headers, opencl-clhpp-headers"
  "dense linear systems on every OpenCL device - development files"
  "This package has the headers for C++20 and C99, and what pkg-config and
CMake want to know.")
add_package(distributed_runtime libclgauss-distributed${clgauss_soversion} libs ""
  "dense linear systems on every OpenCL device - library, several devices"
  "This package has the shared library with systems beyond one device in it,
by StarPU and MPI.")
add_package(distributed_development libclgauss-distributed-dev libdevel
  "libclgauss-distributed${clgauss_soversion} (= ${version}), libclgauss-dev (= ${version})"
  "dense linear systems on every OpenCL device - development files, several devices"
  "This package has the header for systems beyond one device, and what
pkg-config and CMake want to know.")
add_package(lapack libclgauss-lapack libs "clgauss (= ${version}), ${core_library} (= ${version})"
  "dense linear systems on every OpenCL device - for programs that call LAPACK"
  "This package has what `clgauss run' preloads: LAPACK's names, so that R,
Octave, Python and other programs have their large systems on a device.")
add_package(layer libclgauss-layer libs ""
  "dense linear systems on every OpenCL device - layer for any OpenCL program"
  "This package has what `clgauss-tune watch' puts before the OpenCL drivers of
a program: it tells of work-group sizes, and replaces those that the program
leaves to the driver where that is faster.")
add_package(python python3-clgauss python "python3 (>= 3.11), python3-numpy"
  "dense linear systems on every OpenCL device - Python module"
  "This package has the module clgauss for Python and NumPy.")
# Debian's ldconfig runs by a trigger.
file(WRITE ${PROJECT_BINARY_DIR}/package/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/triggers)
set(CPACK_DEBIAN_CORE_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/triggers)
set(CPACK_DEBIAN_DISTRIBUTED_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/triggers)
set(CPACK_DEBIAN_LAYER_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/triggers)
# Debian's Python compiles what is installed, and takes that away again.
file(WRITE ${PROJECT_BINARY_DIR}/package/postinst "#!/bin/sh\nset -e\nif [ \"$1\" = configure ]; then\n  py3compile -p python3-clgauss\nfi\n")
file(WRITE ${PROJECT_BINARY_DIR}/package/prerm "#!/bin/sh\nset -e\npy3clean -p python3-clgauss\n")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/postinst ${PROJECT_BINARY_DIR}/package/prerm)
# A GPU's driver brings its own ICD; on any other machine this is a device.
set(icd "pocl-opencl-icd | opencl-icd")
foreach(upper IN ITEMS PROGRAMS RUNTIME DISTRIBUTED_RUNTIME)
  set(CPACK_DEBIAN_${upper}_PACKAGE_RECOMMENDS "${icd}, ${formats_library} (= ${version})")
endforeach()
set(CPACK_DEBIAN_CORE_RUNTIME_PACKAGE_RECOMMENDS ${icd})
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS ${icd})
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  list(APPEND packages ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
endforeach()
# For package_documents.cmake.
set(CPACK_CLGAUSS_PACKAGES ${packages})
set(CPACK_CLGAUSS_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_CLGAUSS_VERSION ${version})
include(CPack)
