#pragma once

// Letters whose accents are characters of their own, as some file systems keep names: an e and an
// acute are an é.
namespace nz::lab {

// Whether it stands on the letter before it.
bool is_mark(char32_t code);

// Both as one letter of Latin-1 or Latin Extended-A; the letter alone where there is none.
char32_t combined(char32_t letter, char32_t mark);

}  // namespace nz::lab
