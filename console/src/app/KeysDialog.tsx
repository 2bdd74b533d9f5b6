// The list of keys that work now.

import { allShortcuts, keyWords } from '../base/keyboard';
import { Dialog } from '../parts/Dialog';

export function KeysDialog({ close }: { close: () => void }) {
  return (
    <Dialog title="Keys" close={close} size="small">
      <table class="plain-table">
        <thead class="hidden">
          <tr>
            <th>Key</th>
            <th>Action</th>
          </tr>
        </thead>
        <tbody>
          {allShortcuts().map((one) => (
            <tr key={one.keys}>
              <td>
                <kbd>{keyWords(one.keys)}</kbd>
              </td>
              <td>{one.words}</td>
            </tr>
          ))}
          <tr>
            <td>
              <kbd>Esc</kbd>
            </td>
            <td>Close what is open</td>
          </tr>
        </tbody>
      </table>
    </Dialog>
  );
}
