# What the library needs is the system's, not Conan's: no package of it is made or fetched (create.sh beside this).
# The versions are those of Debian 12; any within the ranges of the recipe will do, so say which yours are.
include(default)

[platform_requires]
fmt/9.1.0
zlib/1.2.13
zstd/1.5.4
nlohmann_json/3.11.2
boost/1.74.0
