import keysieve
import numpy as np

scores = np.random.default_rng(0).standard_normal((4, 8192), dtype=np.float32)
lengths = np.array([8192, 4000, 3, 0], dtype=np.int32)

result = keysieve.select(scores, lengths, k=512, return_values=True, return_counts=True)

assert result.counts.tolist() == [512, 512, 3, 0]
best = np.sort(np.argsort(-scores[0], kind="stable")[:512])
assert np.array_equal(result.indices[0], best)  # ascending positions, ties to the smaller one
assert result.indices[2, :4].tolist() == [0, 1, 2, -1]  # -1 pads
