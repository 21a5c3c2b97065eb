"""scibench2 and dma_bench of Dolphin's SISCI software: stores and DMA over a PCIe bridge."""
