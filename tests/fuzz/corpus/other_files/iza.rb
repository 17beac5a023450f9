title                                                                   key     
3 1 1 1
IZA 2 2 1 0
(3I2) (3I2) (4I3)
 1 2 2
 2
  7
