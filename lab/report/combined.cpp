#include "lab/report/combined.hpp"

#include <array>
#include <string_view>

namespace nz::lab {
namespace {

// A mark, and each letter that it stands on with what becomes of them.
struct Mark {
  char32_t code;
  std::u32string_view pairs;
};
constexpr std::array marks{std::to_array<Mark>({
    {0x0300, U"AÀEÈIÌOÒUÙaàeèiìoòuù"},
    {0x0301, U"AÁEÉIÍOÓUÚYÝaáeéiíoóuúyýCĆcćLĹlĺNŃnńRŔrŕSŚsśZŹzź"},
    {0x0302, U"AÂEÊIÎOÔUÛaâeêiîoôuûCĈcĉGĜgĝHĤhĥJĴjĵSŜsŝWŴwŵYŶyŷ"},
    {0x0303, U"AÃNÑOÕaãnñoõIĨiĩUŨuũ"},
    {0x0304, U"AĀaāEĒeēIĪiīOŌoōUŪuū"},
    {0x0306, U"AĂaăEĔeĕGĞgğIĬiĭOŎoŏUŬuŭ"},
    {0x0307, U"CĊcċEĖeėGĠgġIİZŻzż"},
    {0x0308, U"AÄEËIÏOÖUÜaäeëiïoöuüyÿYŸ"},
    {0x030A, U"AÅaåUŮuů"},
    {0x030B, U"OŐoőUŰuű"},
    {0x030C, U"CČcčDĎdďEĚeěLĽlľNŇnňRŘrřSŠsšTŤtťZŽzž"},
    {0x0327, U"CÇcçGĢgģKĶkķLĻlļNŅnņRŖrŗSŞsşTŢtţ"},
    {0x0328, U"AĄaąEĘeęIĮiįUŲuų"},
})};

}  // namespace

bool is_mark(char32_t code) { return code >= 0x0300 && code <= 0x036F; }

char32_t combined(char32_t letter, char32_t mark) {
  for (const Mark& m : marks)
    if (m.code == mark)
      for (std::size_t i = 0; i + 1 < m.pairs.size(); i += 2)
        if (m.pairs[i] == letter) return m.pairs[i + 1];
  return letter;
}

}  // namespace nz::lab
