# What `cmake --install` puts down: cuoptc, libcdsl in both forms, headers, and what find_package(cdsl) and pkg-config read.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS cdsl EXPORT cdslTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
get_target_property(archive cdsl_archive CDSL_OUTPUT)
install(FILES "${archive}" DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${CMAKE_SOURCE_DIR}/include/cdsl" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/cdsl")
install(EXPORT cdslTargets NAMESPACE cdsl:: DESTINATION "${package}")
get_property(CDSL_STATIC_NEEDS GLOBAL PROPERTY CDSL_STATIC_NEEDS)
configure_package_config_file("${CMAKE_SOURCE_DIR}/cmake/package/cdslConfig.cmake.in" "${CMAKE_BINARY_DIR}/package/cdslConfig.cmake"
  INSTALL_DESTINATION "${package}" PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/package/cdslConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/package/cdslConfig.cmake" "${CMAKE_BINARY_DIR}/package/cdslConfigVersion.cmake"
  "${CMAKE_SOURCE_DIR}/cmake/package/cdslAddLibrary.cmake" DESTINATION "${package}")

# pkg-config finds its folders from where its own file lies, so that an installed tree may be moved.
file(RELATIVE_PATH CDSL_PC_TO_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
set(CDSL_PC_STATIC_LIBS "-lstdc++ -lpthread -ldl -lrt -lm")
foreach(library IN LISTS CDSL_STATIC_NEEDS)
  string(APPEND CDSL_PC_STATIC_LIBS " ${library}")
endforeach()
configure_file("${CMAKE_SOURCE_DIR}/cmake/package/cdsl.pc.in" "${CMAKE_BINARY_DIR}/package/cdsl.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/package/cdsl.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

install(FILES "${CMAKE_SOURCE_DIR}/README.md" "${CMAKE_SOURCE_DIR}/LICENSE" "${CMAKE_SOURCE_DIR}/docs/language.md"
  "${CMAKE_SOURCE_DIR}/docs/embedding.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${CMAKE_SOURCE_DIR}/examples/host" DESTINATION "${CMAKE_INSTALL_DOCDIR}/examples")
