// The matrix of entity types: partition key templates by sort key templates. A cell opens the ruler at its example.

import { bytes, count, counted } from '../../data/sizes';
import { Letter } from '../../ruler/Ruler';
import { toldKey, toldText } from '../../ruler/told';
import type { Keyed } from '../../base/tables';
import { cellOf, coloursOf, matrixOf, type Cell, type Entities } from './entities';

export function MatrixOfTypes({ entities, keyed, open }: { entities: Entities; keyed: Keyed; open: (cell: Cell) => void }) {
  const matrix = matrixOf(entities, keyed.index ?? undefined);
  if (!matrix) return <TypesOnly entities={entities} />;
  const colours = coloursOf(entities);
  const columns = matrix.columns.slice(0, 24);
  const rows = matrix.rows.slice(0, 60);
  const isCut = columns.length < matrix.columns.length || rows.length < matrix.rows.length;
  return (
    <>
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Matrix of entity types">
        <table class="matrix">
          <thead>
            <tr>
              <th scope="col" class="matrix-corner">
                <span class="mono">{keyed.partition.join(' · ')}</span> <span aria-hidden="true">↓</span>
                {keyed.sort.length > 0 && (
                  <>
                    {' '}
                    <span class="mono">{keyed.sort.join(' · ')}</span> <span aria-hidden="true">→</span>
                  </>
                )}
              </th>
              {columns.map((column) => (
                <th key={column} scope="col" class="mono">
                  {column === '' ? '' : toldText(column, 40)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row}>
                <th scope="row" class="mono">
                  {toldText(row, 40)}
                </th>
                {columns.map((column) => (
                  <td key={column}>
                    {cellOf(matrix, row, column).map((cell) => {
                      const colour = colours.get(cell.Entity);
                      return (
                        <button key={cell.Entity} type="button" class="cell" onClick={() => open(cell)} style={colour && { '--of': `var(${colour.token})` }}>
                          <span class="cell-name">
                            {colour && <Letter colour={{ ...colour, name: cell.Entity }} />}
                            <b>{toldText(cell.Entity, 40)}</b>
                          </span>
                          <span class="cell-figures">
                            {counted(cell.Items, 'item')} <span>{bytes(cell.Bytes)}</span>
                          </span>
                          <span class="cell-example mono">{toldKey(cell.Example, [...keyed.partition, ...keyed.sort], 48)}</span>
                        </button>
                      );
                    })}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">
        {entities.IsAll ? `All ${counted(entities.SampledItems ?? entities.Items, 'item')} of the table.` : `Of a sample of ${counted(entities.SampledItems ?? entities.Items, 'item')}, from four places of the table.`}
        {isCut && ' The most frequent templates are shown.'}
      </p>
    </>
  );
}

/** Where the server has no matrix, the types with their templates. */
function TypesOnly({ entities }: { entities: Entities }) {
  const colours = coloursOf(entities);
  if (entities.Entities.length === 0) return <p class="hint">No entity types are told apart by the keys of this one.</p>;
  return (
    <table class="plain-table types">
      <thead>
        <tr>
          <th scope="col">entity type</th>
          <th scope="col">keys</th>
          <th scope="col" class="figure">items looked at</th>
        </tr>
      </thead>
      <tbody>
        {entities.Entities.slice(0, 100).map((entity) => (
          <tr key={entity.Name}>
            <td>
              <span class="cell-name">
                {colours.get(entity.Name) && <Letter colour={{ ...colours.get(entity.Name)!, name: entity.Name }} />} {toldText(entity.Name, 60)}
              </span>
            </td>
            <td class="mono">
              {entity.Keys.filter((key) => key.OfTable).map((key) => (
                <div key={key.Attribute}>
                  {key.Attribute} = {toldText(key.Pattern, 80)}
                </div>
              ))}
            </td>
            <td class="figure">{count(entity.Items)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
