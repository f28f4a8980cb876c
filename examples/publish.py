"""What a source layer publishes: its top-k and its best blocks of eight columns, from one read of the scores."""

import keysieve
import numpy as np

scores = np.random.default_rng(0).standard_normal((3, 50_000), dtype=np.float32)
lengths = np.array([50_000, 9_000, 0], dtype=np.int32)

made = keysieve.publish(scores, lengths, k=512, blocks=2048)

print(made.indices.shape, made.blocks.shape)
print(made.block_counts)  # [2048 1125    0]
print(made.valid_lengths)  # [16384  9000     0]
