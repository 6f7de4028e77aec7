# What Debian wants in every package, put beside what was installed before cpack packs it: a copyright, a changelog, man pages
# compressed.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(READ ${CPACK_CLGAUSS_LICENSE} license)
string(REGEX MATCH "Copyright [^\n]*" holder "${license}")
string(REGEX REPLACE "^Copyright (\\(c\\) )?" "" holder "${holder}")
string(REGEX REPLACE ".*Copyright[^\n]*\n+" "" terms "${license}")
string(STRIP "${terms}" terms)
string(REGEX REPLACE "\n\n" "\n.\n" terms "${terms}")
string(REGEX REPLACE "\n" "\n " terms "${terms}")

function(compress file)
  execute_process(COMMAND gzip -9 -n -f ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component package IN ZIP_LISTS CPACK_COMPONENTS_ALL CPACK_CLGAUSS_PACKAGES)
  set(usr ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr)
  set(documents ${usr}/share/doc/${package})
  file(WRITE ${documents}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: clgauss

Files: *
Copyright: ${holder}
License: Expat
 ${terms}
")
  file(WRITE ${documents}/changelog.Debian "clgauss (${CPACK_CLGAUSS_VERSION}) unstable; urgency=medium

  * As upstream's CHANGELOG.md says.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  compress(${documents}/changelog.Debian)
  file(GLOB pages ${usr}/share/man/man1/*.1)
  foreach(page IN LISTS pages)
    compress(${page})
  endforeach()
endforeach()
