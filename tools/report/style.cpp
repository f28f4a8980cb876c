#include "report/style.hpp"

namespace keysieve::report {

// --hN are the steps of the ratio scale and --tN the text on them; tests hold every pair to a contrast of 4.5.
const char* const kStyle = R"css(
:root {
  color-scheme: light dark;
  --page: #ffffff; --ink: #17202a; --muted: #5b6672; --rule: #d9dfe5; --band: #f5f7f9; --link: #1f5f99;
  --bad: #b3261e; --bad-page: #fdecea; --noisy: #8a5a00; --hole: #c3cad1;
  --h0: #edf3fa; --h1: #d0e1f2; --h2: #abcbe6; --h3: #7fafd7; --h4: #5c97cb; --h5: #2f6ba5; --h6: #1c4a7d;
  --t0: #14202e; --t1: #14202e; --t2: #14202e; --t3: #14202e; --t4: #14202e; --t5: #ffffff; --t6: #ffffff;
  --trivial: #cfd4da; --tile: #a3cbec; --sieve: #f6c877; --split: #8fd3bd; --wide: #dcaed0; --cpu-rows: #ece38c;
  --cpu-chunks: #d3b99a; --other: #e3e6ea; --route-ink: #14202e;
  --faster: #2f6ba5; --slower: #c2701a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #10151b; --ink: #e3e9ef; --muted: #98a4b0; --rule: #2b343e; --band: #171e26; --link: #82b6e6;
    --bad: #ff9a90; --bad-page: #3a1c1a; --noisy: #e0b45c; --hole: #3a444f;
    --h0: #15202d; --h1: #1a3047; --h2: #1f4366; --h3: #265480; --h4: #336899; --h5: #72a5d6; --h6: #b4d3f0;
    --t0: #e6edf4; --t1: #e6edf4; --t2: #e6edf4; --t3: #e6edf4; --t4: #ffffff; --t5: #0b1117; --t6: #0b1117;
    --trivial: #474f58; --tile: #2a5d88; --sieve: #85560f; --split: #1c6a56; --wide: #783c66; --cpu-rows: #68610f;
    --cpu-chunks: #6a4c2a; --other: #333b44; --route-ink: #f2f6fa;
    --faster: #72a5d6; --slower: #e39a4c;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 1240px; padding: 24px 20px 64px; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere; }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 4px; font-weight: 600; }
h2 { font-size: 18px; margin: 44px 0 8px; padding-top: 12px; border-top: 1px solid var(--rule); font-weight: 600; }
h3 { font-size: 15px; margin: 24px 0 8px; font-weight: 600; }
h4 { font-size: 14px; margin: 18px 0 6px; font-weight: 600; color: var(--muted); }
p { margin: 8px 0; max-width: 78ch; }
a { color: var(--link); }
nav { margin: 14px 0 0; display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: 14px; }
.sub, .note, .absent { color: var(--muted); }
.note { font-size: 13px; }
.absent { margin: 20px 0 0; padding-top: 12px; border-top: 1px solid var(--rule); }
.scroll { overflow-x: auto; max-width: 100%; margin: 8px 0 16px; }
.charts { display: flex; flex-wrap: wrap; gap: 0 36px; }
.charts > * { min-width: 0; max-width: 100%; }
.charts .note { width: 0; min-width: 100%; }
.scroll > svg { display: block; }
.bad { color: var(--bad); }
.alarm { margin: 20px 0; padding: 4px 16px 8px; border: 2px solid var(--bad); border-radius: 6px;
  background: var(--bad-page); }
.alarm h2 { margin: 8px 0; padding: 0; border: 0; color: var(--bad); }
.noisy { color: var(--noisy); }
.best { font-weight: 700; }
table { border-collapse: collapse; font-size: 13px; line-height: 1.35; }
th, td { padding: 4px 10px; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule);
  white-space: nowrap; overflow-wrap: normal; }
th { color: var(--muted); font-weight: 600; border-bottom-color: var(--muted); }
th:first-child, td:first-child { padding-left: 0; }
.n { text-align: right; }
td.head { color: var(--muted); font-weight: 600; }
small { color: var(--muted); font-size: 12px; }
.pairs thead { display: none; }
.pairs td { white-space: normal; overflow-wrap: anywhere; }
.pairs td:first-child { color: var(--muted); white-space: nowrap; }
ul { padding-left: 18px; margin: 8px 0; }
li { margin: 4px 0; }
details { margin: 8px 0 16px; }
summary { cursor: pointer; color: var(--link); font-size: 14px; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 14px; font-size: 13px; color: var(--muted); max-width: none; }
.legend svg { vertical-align: -2px; }
svg text { font-size: 12px; fill: var(--ink); }
svg .axis { fill: var(--muted); font-weight: 600; }
svg .tick, svg .second { fill: var(--muted); }
svg .second { font-size: 11px; }
svg .value { paint-order: stroke; stroke: var(--page); stroke-width: 3px; }
svg .rule { stroke: var(--rule); } svg .one { stroke: var(--muted); }
svg .faster { fill: var(--faster); } svg .slower { fill: var(--slower); }
svg .hole { fill: none; stroke: var(--hole); stroke-dasharray: 3 3; } svg .on-hole { fill: var(--muted); }
svg .wrong { fill: var(--bad-page); stroke: var(--bad); stroke-width: 2; }
svg .on-wrong { fill: var(--bad); font-weight: 700; }
svg .h0 { fill: var(--h0); } svg .h1 { fill: var(--h1); } svg .h2 { fill: var(--h2); } svg .h3 { fill: var(--h3); }
svg .h4 { fill: var(--h4); } svg .h5 { fill: var(--h5); } svg .h6 { fill: var(--h6); }
svg .on-h0 { fill: var(--t0); } svg .on-h1 { fill: var(--t1); } svg .on-h2 { fill: var(--t2); }
svg .on-h3 { fill: var(--t3); } svg .on-h4 { fill: var(--t4); } svg .on-h5 { fill: var(--t5); }
svg .on-h6 { fill: var(--t6); }
svg .route-trivial { fill: var(--trivial); } svg .route-tile { fill: var(--tile); }
svg .route-sieve { fill: var(--sieve); } svg .route-split { fill: var(--split); } svg .route-wide { fill: var(--wide); }
svg .route-cpu_rows { fill: var(--cpu-rows); } svg .route-cpu_chunks { fill: var(--cpu-chunks); }
svg .route-other { fill: var(--other); }
svg [class*="on-route-"] { fill: var(--route-ink); }
svg .dot { stroke: var(--route-ink); stroke-width: 1.5; }
@media (max-width: 600px) {
  body { padding: 16px 12px 48px; font-size: 14px; }
  h1 { font-size: 20px; }
}
@media print { details > summary { display: none; } }
)css";

}  // namespace keysieve::report
