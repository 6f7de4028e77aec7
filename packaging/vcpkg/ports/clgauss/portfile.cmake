# To submit it: the owner of the public repository, and the hash that vcpkg prints in place of 0.
vcpkg_from_github(
    OUT_SOURCE_PATH SOURCE_PATH
    REPO OWNER/clgauss
    REF "v${VERSION}"
    SHA512 0
    HEAD_REF main
)

# What is ON is required, what is OFF is not looked for.
vcpkg_check_features(
    OUT_FEATURE_OPTIONS FEATURE_OPTIONS
    FEATURES
        npz     CLGAUSS_WITH_ZIP
        mat     CLGAUSS_WITH_MATIO
        hdf5    CLGAUSS_WITH_HDF5
)

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        ${FEATURE_OPTIONS}
        -DCLGAUSS_PROGRAMS=OFF
        -DCLGAUSS_TESTS=OFF
        -DCLGAUSS_STARPU=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/clgauss)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
