"""The library for Conan 2, from the sources beside it: conan create packaging/conan, or create.sh beside this."""

import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class Nonzero(ConanFile):
    name = "nonzero"
    license = "Apache-2.0"
    description = "Sparse matrix-vector products at the speed of memory"
    topics = ("sparse-matrix", "spmv", "linear-algebra", "cuda")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "emulator": [True, False], "cuda": [True, False]}
    default_options = {"shared": False, "emulator": False, "cuda": False}

    def set_version(self):
        # The version stands in CMakeLists.txt alone.
        text = load(self, os.path.join(self.recipe_folder, "..", "..", "CMakeLists.txt"))
        self.version = re.search(r"project\(nonzero VERSION ([0-9.]+)", text).group(1)

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "CHANGELOG.md", "cmake/*", "include/*", "src/*", "fortran/*",
                        "packaging/debian/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def requirements(self):
        # What cmake/nonzero-config.cmake.in finds: linked into a static library, so those who link it need them.
        self.requires("fmt/[>=9]")
        self.requires("zlib/[>=1.2.11]")
        self.requires("zstd/[>=1.5]")
        self.requires("nlohmann_json/[>=3.11]", visible=False)
        if self.options.emulator:
            self.requires("boost/[>=1.74]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.variables["NZ_TOOLS"] = False
        toolchain.variables["NZ_TESTS"] = False
        toolchain.variables["NZ_HWLOC"] = "OFF"
        toolchain.variables["NZ_MATIO"] = "OFF"
        toolchain.variables["NZ_PETSC"] = "OFF"
        toolchain.variables["NZ_EMULATOR"] = "AUTO" if self.options.emulator else "OFF"
        toolchain.variables["NZ_CUDA"] = "ON" if self.options.cuda else "OFF"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="nonzero")

    def package(self):
        CMake(self).install(component="dev")
        if self.options.shared:
            CMake(self).install(component="library")
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # Our own package for CMake does it, with the same names as without Conan.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append(os.path.join("lib", "cmake", "nonzero"))
