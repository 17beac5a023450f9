#pragma once
#include <memory>
#include <span>

namespace nz {

class Budget;
class ByteStream;
class Source;

enum class Packing { none, gzip, zstd };

// Told by the first four bytes.
Packing packing_of(std::span<const char> bytes);

// The text of all gzip members or zstd frames one after another.
std::unique_ptr<ByteStream> unpack_gzip(const Source& packed, const Budget& budget);
std::unique_ptr<ByteStream> unpack_zstd(const Source& packed, const Budget& budget);

// What one deflate stream holds, as it stands in zip files, or with zlib's header and checksum
// around it. Bytes behind its end are not looked at.
enum class Wrapping { none, zlib };
std::unique_ptr<ByteStream> unpack_deflate(const Source& packed, const Budget& budget,
                                           Wrapping wrapping);

}  // namespace nz
