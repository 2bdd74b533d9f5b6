//! The style sheet. Contrast of text is at least 4.5 to 1 in both schemes; colours of entities stand beside a name.

/// Number of colours of entities, `e0` to `e7`.
pub(super) const COLOURS: usize = 8;

pub(super) const SHEET: &str = "\
:root { color-scheme: light dark; --text: #1b1f24; --dim: #57606a; --page: #ffffff; --line: #d0d7de; --soft: #f3f5f7;
  --good: #0b6b2e; --fair: #7a4d00; --bad: #a3201c; --link: #0550ae; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --dim: #a2abb5; --page: #0d1117; --line: #3a424c;
  --soft: #171c23; --good: #5fd283; --fair: #e3b341; --bad: #ff8f87; --link: #79b8ff; } }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); }
main { max-width: 78rem; margin: 0 auto; padding: 1.5rem; }
h1, h2, h3 { line-height: 1.25; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
a { color: var(--link); }
code { font: 0.875em ui-monospace, monospace; background: var(--soft); padding: 0.1em 0.3em; overflow-wrap: anywhere; }
small, caption, .note { color: var(--dim); }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; min-width: 30rem; }
caption { text-align: left; padding-bottom: 0.3rem; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.7rem; border: 1px solid var(--line); }
thead th { background: var(--soft); }
tbody th { font-weight: 600; }
.figure { text-align: right; font-variant-numeric: tabular-nums; }
.key { color: var(--good); font-weight: 600; } .filter { color: var(--fair); } .scan { color: var(--bad); }
.no { color: var(--dim); } .error, .warning { color: var(--bad); } .suggestion { color: var(--fair); }
svg { max-width: 100%; height: auto; } svg text { fill: var(--text); font: 12px system-ui, sans-serif; }
.key-of { display: inline-block; width: 0.9em; height: 0.9em; margin: 0 0.3em 0 1em; vertical-align: -0.1em; }
.e0 { fill: #3b76c4; background: #3b76c4; } .e1 { fill: #c2571a; background: #c2571a; }
.e2 { fill: #2c8c55; background: #2c8c55; } .e3 { fill: #9157c2; background: #9157c2; }
.e4 { fill: #b03a6a; background: #b03a6a; } .e5 { fill: #7d7420; background: #7d7420; }
.e6 { fill: #21858c; background: #21858c; } .e7 { fill: #767d86; background: #767d86; }
";
