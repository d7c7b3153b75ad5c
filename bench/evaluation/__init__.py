"""The evaluation: the paper's models and others, ours beside Shardy and GSPMD, on one page (docs/evaluation.md).

    make eval              # what is not kept yet, then the page
    make eval QUICK=1      # a few models at small sizes, within ten minutes
    make eval FRESH=1      # everything again

counts      collectives of full-size models against the paper's table
peers       ours, Shardy and GSPMD on 8 virtual devices: collectives, bytes, memory, FLOPs, time, and whether the numbers are right
ablation    all tactics in one, no ties, shared gathers, automatic tactics
corpus      programs that others wrote, when they are at hand
"""
