"""The evaluation: the paper's models and others, ours beside Shardy and GSPMD, on one page (docs/evaluation.md).

    make eval              # what is not kept yet, then the page
    make eval QUICK=1      # a few models at small sizes, to standard output, within ten minutes
    make eval FRESH=1      # everything again

described   the models, and how large they are
paper       collectives of full-size models against the paper's table
peers       ours, Shardy and GSPMD on 8 virtual devices: collectives, bytes, memory, FLOPs, time, and whether the numbers are right
tpu         peak memory and bytes by the TPU compiler, ahead of time
wrong       the smallest programs on which the peers are wrong
expressive  lines of schedule against lines inside the model
predict     predicted against XLA's and measured figures
ablation    all tactics in one, no ties, shared gathers, automatic tactics
scaling     ops, layers, axes, devices
programs    programs that others wrote, when they are at hand
"""
