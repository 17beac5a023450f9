title                                                                   key     
3 1 1 0
PSA 2 2 2 0
(16I5)          (16I5)
    1    3    3
    1    2
