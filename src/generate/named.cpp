#include <nonzero/generate.hpp>

// Every matrix that the five papers name, in the order of their tables. Exact ones have a
// definition; the others keep the numbers that the paper gives and say what is assumed.
namespace nz {

#define NZ_COLLECTION "Size and nonzeros are the SuiteSparse collection's, which the table rounds."
#define NZ_HALF                                                                   \
  "The paper counts the stored half of a symmetric matrix; this is such a lower " \
  "half."
#define NZ_ASSUMED "The longest row, the spread of the lengths and the places are assumed."
#define NZ_PRINTED_LENGTHS                                                       \
  "Size, nonzeros, shortest and longest row are the paper's; the spread of the " \
  "lengths and the places are assumed."
#define NZ_PRINTED_MAX                                                                \
  "Nonzeros and longest row as the paper rounds them; the whole numbers of rows and " \
  "nonzeros are the SuiteSparse collection's."
#define NZ_PRINTED "Size and nonzeros are the paper's."
#define NZ_PLACES "The spread of the lengths and the places are assumed."

std::span<const NamedMatrix> named_matrices() {
  static constexpr NamedMatrix all[] = {
      {"block-band", "chirila2025 §5.1", true, "block-band",
       "As the paper defines it; the values are drawn anew."},
      {"ideal_matrix", "izawa2023 table 4.2", false, "ideal:block=128",
       "Stand-in. Size, nonzeros and balance of §4.3, in blocks of 128, with which table 4.7 has "
       "no "
       "padding; how many nonzeros each block row has (figure "
       "4.2) is not published and assumed."},
      {"msc00726", "izawa2023 table 4.3", false,
       "profile:rows=726,cols=726,nnz=17622,min=1,max=48,band=180,block=3,shape=1,form=1,diagonal="
       "1",
       "Stand-in. " NZ_COLLECTION " " NZ_HALF " " NZ_ASSUMED},
      {"spaceStation_4", "izawa2023 table 4.3", false,
       "profile:rows=950,cols=950,nnz=7100,min=1,max=40,shape=2,diagonal=1",
       "Stand-in. Size and nonzeros as the table rounds them. " NZ_ASSUMED},
      {"CAG_mat1916", "izawa2023 table 4.3", false,
       "profile:rows=1916,cols=1916,nnz=195985,min=1,max=200,shape=1",
       "Stand-in. " NZ_COLLECTION " " NZ_ASSUMED},
      {"heart2", "izawa2023 table 4.3", false,
       "profile:rows=2339,cols=2339,nnz=682797,min=1,max=560,band=600,block=4,shape=1",
       "Stand-in. " NZ_COLLECTION " " NZ_ASSUMED},
      {"psmigr_3", "izawa2023 table 4.3", false,
       "profile:rows=3140,cols=3140,nnz=543160,min=1,max=2000,shape=2",
       "Stand-in. " NZ_COLLECTION " " NZ_ASSUMED},
      {"raefsky6", "izawa2023 table 4.3", false,
       "profile:rows=3402,cols=3402,nnz=137845,min=1,max=80,band=100,block=4,shape=1",
       "Stand-in. " NZ_COLLECTION " " NZ_ASSUMED},
      {"heart1", "izawa2023 table 4.3", false,
       "profile:rows=3557,cols=3557,nnz=1387773,min=1,max=760,band=800,block=4,shape=1",
       "Stand-in. " NZ_COLLECTION " " NZ_ASSUMED},
      {"exdata_1", "izawa2023 table 4.3", false,
       "profile:rows=6001,cols=6001,nnz=1137751,min=1,max=1500,shape=2,form=1,diagonal=1",
       "Stand-in. " NZ_COLLECTION " " NZ_HALF " " NZ_ASSUMED},
      {"TSC_OPF_1047", "izawa2023 table 4.3", false,
       "profile:rows=8140,cols=8140,nnz=1012521,min=1,max=240,band=500,shape=1,form=1,diagonal=1",
       "Stand-in. " NZ_COLLECTION " " NZ_HALF " " NZ_ASSUMED},
      {"nemeth26", "izawa2023 table 4.3", false,
       "profile:rows=9506,cols=9506,nnz=760633,min=1,max=90,band=90,shape=0,form=1,diagonal=1",
       "Stand-in. " NZ_COLLECTION " " NZ_HALF " " NZ_ASSUMED},
      {"sme3Da", "izawa2023 table 4.3", false,
       "profile:rows=12504,cols=12504,nnz=874887,min=1,max=140,band=3000,block=3,shape=1,diagonal="
       "1",
       "Stand-in. " NZ_COLLECTION " " NZ_ASSUMED},
      {"appu", "izawa2023 table 4.3", false,
       "profile:rows=14000,cols=14000,nnz=1853104,min=1,max=280,shape=1,diagonal=1",
       "Stand-in. " NZ_COLLECTION " " NZ_ASSUMED},
      {"human_gene2", "izawa2023 table 4.3", false,
       "profile:rows=14340,cols=14340,nnz=9041364,min=1,max=7000,shape=2,form=1,diagonal=1",
       "Stand-in. " NZ_COLLECTION " " NZ_HALF " " NZ_ASSUMED},
      {"olafu", "izawa2023 table 4.3", false,
       "profile:rows=16146,cols=16146,nnz=515651,min=1,max=64,band=500,block=6,shape=1,form=1,"
       "diagonal=1",
       "Stand-in. " NZ_COLLECTION " " NZ_HALF " " NZ_ASSUMED},
      {"nd6k", "izawa2023 table 4.3", false,
       "profile:rows=18000,cols=18000,nnz=3457658,min=1,max=380,band=2000,shape=1,form=1,diagonal="
       "1",
       "Stand-in. " NZ_COLLECTION " " NZ_HALF " " NZ_ASSUMED},
      {"human_gene1", "izawa2023 table 4.3", false,
       "profile:rows=22283,cols=22283,nnz=12345963,min=1,max=8000,shape=2,form=1,diagonal=1",
       "Stand-in. " NZ_COLLECTION " " NZ_HALF " " NZ_ASSUMED},
      {"nd12k", "izawa2023 table 4.3", false,
       "profile:rows=36000,cols=36000,nnz=7128473,min=1,max=390,band=3000,shape=1,form=1,diagonal="
       "1",
       "Stand-in. " NZ_COLLECTION " " NZ_HALF " " NZ_ASSUMED},
      {"mouse_gene", "dinoia2025 table II, izawa2023 table 4.3", false,
       "profile:rows=45101,cols=45101,nnz=28967291,min=1,max=8000,shape=2,form=2,diagonal=1",
       "Stand-in. Both halves, as dinoia2025 counts; izawa2023 counts the stored half, 14,506.20K. "
       "Longest row as dinoia2025 rounds it; the size is the SuiteSparse collection's. " NZ_PLACES},
      {"random_0.0001", "izawa2023 table 4.4", true, "random:rows=8192,cols=8192,density=0.0001",
       "Size and nonzeros of the table, uniformly spread; drawn anew."},
      {"random_0.0005", "izawa2023 table 4.4", true, "random:rows=8192,cols=8192,density=0.0005",
       "Size and nonzeros of the table, uniformly spread; drawn anew."},
      {"random_0.001", "izawa2023 table 4.4", true, "random:rows=8192,cols=8192,density=0.001",
       "Size and nonzeros of the table, uniformly spread; drawn anew."},
      {"random_0.005", "izawa2023 table 4.4", true, "random:rows=8192,cols=8192,density=0.005",
       "Size and nonzeros of the table, uniformly spread; drawn anew."},
      {"random_0.01", "izawa2023 table 4.4", true, "random:rows=8192,cols=8192,density=0.01",
       "Size and nonzeros of the table, uniformly spread; drawn anew."},
      {"random_0.05", "izawa2023 table 4.4", true, "random:rows=8192,cols=8192,density=0.05",
       "Size and nonzeros of the table, uniformly spread; drawn anew."},
      {"random_0.1", "izawa2023 table 4.4", true, "random:rows=8192,cols=8192,density=0.1",
       "Size and nonzeros of the table, uniformly spread; drawn anew."},
      {"random_0.2", "izawa2023 table 4.4", true, "random:rows=8192,cols=8192,density=0.2",
       "Size and nonzeros of the table, uniformly spread; drawn anew."},
      {"random_0.3", "izawa2023 table 4.4", true, "random:rows=8192,cols=8192,density=0.3",
       "Size and nonzeros of the table, uniformly spread; drawn anew."},
      {"random_0.4", "izawa2023 table 4.4", true, "random:rows=8192,cols=8192,density=0.4",
       "Size and nonzeros of the table, uniformly spread; drawn anew."},
      {"random_0.5", "izawa2023 table 4.4", true, "random:rows=8192,cols=8192,density=0.5",
       "Size and nonzeros of the table, uniformly spread; drawn anew."},
      {"crankseg_1", "messa2025 table III", false,
       "profile:rows=52804,cols=52804,nnz=5333507,min=1,max=262,band=6000,block=3,shape=1,form=1,"
       "diagonal=1",
       "Stand-in. " NZ_HALF " " NZ_PRINTED_LENGTHS},
      {"ecology1", "messa2025 table III", true, "grid:points=5,nx=1000,ny=1000",
       "The pattern: 5 points on a grid of 1000 x 1000, both halves, 4,996,000 nonzeros; messa2025 "
       "counts the 2,998,000 of the stored half. The values are those of the Laplacian."},
      {"F1", "messa2025 table III", false,
       "profile:rows=343791,cols=343791,nnz=13590452,min=1,max=306,band=20000,block=3,shape=1,form="
       "1,diagonal=1",
       "Stand-in. " NZ_HALF " " NZ_PRINTED_LENGTHS},
      {"inline_1", "messa2025 table III", false,
       "profile:rows=503712,cols=503712,nnz=18660027,min=1,max=843,band=10000,block=3,shape=1,form="
       "1,diagonal=1",
       "Stand-in. " NZ_HALF " " NZ_PRINTED_LENGTHS},
      {"mawi_201512012345", "messa2025 table III", false,
       "profile:rows=18571154,cols=18571154,nnz=19020160,min=0,max=7397164,shape=0,form=1",
       "Stand-in. " NZ_HALF " " NZ_PRINTED_LENGTHS},
      {"sx-stackoverflow", "messa2025 table III", false,
       "profile:rows=2601977,cols=2601977,nnz=36233450,min=0,max=38148,shape=3",
       "Stand-in. " NZ_PRINTED_LENGTHS},
      {"circuit5M_dc", "dinoia2025 table II", false,
       "profile:rows=3523317,cols=3523317,nnz=19194000,min=1,max=27,band=50000,shape=1,diagonal=1",
       "Stand-in. Rows are the SuiteSparse collection's, the longest row is the paper's; its times "
       "and rates give 19.19 million entries, which fits its mean of 5.4 a row; its 14M leave out "
       "the explicit zeros of the file. " NZ_PLACES},
      {"delaunay_n23", "dinoia2025 table II", false,
       "profile:rows=8388608,cols=8388608,nnz=50331568,min=0,max=28,band=4000,shape=1,form=2",
       "Stand-in. " NZ_PRINTED_MAX " " NZ_PLACES},
      {"europe_osm", "dinoia2025 table II", false,
       "profile:rows=50912018,cols=50912018,nnz=108109320,min=0,max=13,band=1000,shape=0,form=2",
       "Stand-in. " NZ_PRINTED_MAX " " NZ_PLACES},
      {"hugetrace-00000", "dinoia2025 table II", false,
       "profile:rows=4588484,cols=4588484,nnz=6879133,min=0,max=3,band=5000,shape=0,form=1",
       "Stand-in. " NZ_PRINTED_MAX " " NZ_HALF " The printed mean of 1.75 a row contradicts the "
       "printed 6.9M nonzeros, which give 1.5. " NZ_PLACES},
      {"mawi_201512020330", "dinoia2025 table II", false,
       "profile:rows=226196185,cols=226196185,nnz=480047894,min=0,max=210000000,band=100000,shape="
       "0,form=2",
       "Stand-in. " NZ_PRINTED_MAX " " NZ_PLACES},
      {"model7", "dinoia2025 table II", false,
       "profile:rows=3358,cols=9582,nnz=51027,min=1,max=253,shape=2",
       "Stand-in. " NZ_PRINTED_MAX " " NZ_PLACES},
      {"mycielskian16", "dinoia2025 table II", true, "mycielskian:k=16",
       "Exact: 49,151 rows, 33,382,480 nonzeros, all ones."},
      {"pkustk14", "mazzucchi2025 table I", false,
       "profile:rows=151926,cols=151926,nnz=7494215,min=1,max=110,band=8000,block=3,shape=1,form=1,"
       "diagonal=1",
       "Stand-in. " NZ_PRINTED " " NZ_HALF " " NZ_ASSUMED},
      {"wiki-Talk", "mazzucchi2025 table I", false,
       "profile:rows=2394385,cols=2394385,nnz=5021410,min=0,max=100000,shape=3",
       "Stand-in. " NZ_PRINTED " " NZ_ASSUMED},
      {"cage14", "mazzucchi2025 table I", false,
       "profile:rows=1505785,cols=1505785,nnz=27130349,min=5,max=41,band=150000,shape=1,diagonal=1",
       "Stand-in. " NZ_PRINTED " " NZ_ASSUMED},
      {"rajat31", "mazzucchi2025 table I", false,
       "profile:rows=4690002,cols=4690002,nnz=20316253,min=1,max=1000,band=5000,shape=1,diagonal=1",
       "Stand-in. " NZ_PRINTED " " NZ_ASSUMED},
      {"bcsstk13", "mazzucchi2025 table I", false,
       "profile:rows=2003,cols=2003,nnz=42943,min=1,max=60,band=400,block=3,shape=1,form=1,"
       "diagonal=1",
       "Stand-in. " NZ_PRINTED " " NZ_HALF " " NZ_ASSUMED},
      {"af23560", "mazzucchi2025 table I", false,
       "profile:rows=23560,cols=23560,nnz=484256,min=10,max=21,band=300,block=4,shape=0,diagonal=1",
       "Stand-in. " NZ_PRINTED " " NZ_ASSUMED},
      {"neos3", "mazzucchi2025 table I", false,
       "profile:rows=512209,cols=518832,nnz=2055024,min=1,max=100,shape=1",
       "Stand-in. " NZ_PRINTED " " NZ_ASSUMED},
      {"ins2", "mazzucchi2025 table I", false,
       "profile:rows=309412,cols=309412,nnz=1530448,min=1,max=309412,shape=0,form=1,diagonal=1",
       "Stand-in. " NZ_PRINTED " " NZ_HALF " One full row is assumed. " NZ_ASSUMED},
      {"helm2d03", "mazzucchi2025 table I", false,
       "profile:rows=392257,cols=392257,nnz=1567096,min=1,max=7,band=2000,shape=0,form=1,diagonal="
       "1",
       "Stand-in. " NZ_PRINTED " " NZ_HALF " " NZ_ASSUMED},
      {"great-britain_osm", "mazzucchi2025 table I", false,
       "profile:rows=7733822,cols=7733822,nnz=8156517,min=0,max=5,band=1000,shape=0,form=1",
       "Stand-in. " NZ_PRINTED " " NZ_HALF " " NZ_ASSUMED},
  };
  return all;
}

#undef NZ_COLLECTION
#undef NZ_HALF
#undef NZ_ASSUMED
#undef NZ_PRINTED_LENGTHS
#undef NZ_PRINTED_MAX
#undef NZ_PRINTED
#undef NZ_PLACES

}  // namespace nz
