// A line as small as a word: a value for each second.

const [WIDTH, HEIGHT] = [64, 18];

export function Spark({ values }: { values: readonly number[] }) {
  if (values.length < 2) return <span class="spark" />;
  const most = Math.max(1, ...values);
  const x = (nth: number) => ((nth / (values.length - 1)) * (WIDTH - 2) + 1).toFixed(1);
  const y = (of: number) => (HEIGHT - 1 - (of / most) * (HEIGHT - 3)).toFixed(1);
  const line = values.map((of, nth) => `${nth === 0 ? 'M' : 'L'}${x(nth)} ${y(of)}`).join('');
  return (
    <svg class="spark" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" focusable="false">
      <path class="spark-area" d={`${line}L${x(values.length - 1)} ${HEIGHT}L${x(0)} ${HEIGHT}Z`} />
      <path class="spark-line" d={line} />
    </svg>
  );
}
