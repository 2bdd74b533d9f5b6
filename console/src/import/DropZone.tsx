// A place for files: dropped, or chosen. A file dropped anywhere on the page is taken as well.

import { useEffect, useRef, useState } from 'preact/hooks';
import { readOnly } from '../base/access';
import { asFault, type Fault, faultOfPage } from '../base/faults';
import { bytes } from '../data/sizes';
import { Button } from '../parts/Button';
import { ErrorBox } from '../parts/ErrorBox';
import { Icon } from '../parts/Icon';
import { lazy } from '../base/lazy';
import type { Read } from './rows';

const ImportDialog = lazy(async () => (await import('./ImportDialog')).ImportDialog);
const ModelDialog = lazy(async () => (await import('./ModelDialog')).ModelDialog);

const largest = 256 * 1024 * 1024;

/** Takes a file that is dropped anywhere on the page; returns whether one is over it. */
function useDrop(take: (file: File | undefined) => void): boolean {
  const [isOver, over] = useState(false);
  const newest = useRef(take);
  newest.current = take;
  useEffect(() => {
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
    const enter = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      over(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) over(false);
    };
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      over(false);
      newest.current(event.dataTransfer?.files[0]);
    };
    addEventListener('dragover', enter);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', enter);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, []);
  return isOver;
}

export function DropZone() {
  const [file, setFile] = useState<{ name: string; read: Read } | null>(null);
  const [fault, fail] = useState<Fault | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const take = async (taken: File | undefined): Promise<void> => {
    if (!taken) return;
    fail(null);
    if (taken.size > largest) {
      fail(
        faultOfPage(
          'other',
          `${taken.name} has ${bytes(taken.size)}; this page reads files up to ${bytes(largest)}. Use hashrange import for larger ones.`,
        ),
      );
      return;
    }
    try {
      const { readFile } = await import('./rows');
      setFile({ name: taken.name, read: readFile(taken.name, await taken.text()) });
    } catch (error) {
      fail(asFault(error));
    }
  };
  const isOver = useDrop((taken) => void take(taken));
  return (
    <>
      <div class={`drop-zone${isOver ? ' over' : ''}`}>
        <Icon name="upload" />
        <p>
          <b>Drop a file here</b>
          <br />
          <span class="hint">CSV, TSV, JSON Lines, a JSON array; a NoSQL Workbench model, CloudFormation, Terraform, CreateTable</span>
        </p>
        <Button onClick={() => input.current?.click()} disabled={readOnly.value}>
          Choose a file
        </Button>
        <input
          type="file"
          class="hidden"
          tabIndex={-1}
          aria-label="File to import"
          ref={input}
          onChange={(event) => {
            const box = event.currentTarget;
            void take(box.files?.[0]).then(() => (box.value = ''));
          }}
        />
      </div>
      {fault && <ErrorBox fault={fault} />}
      {file &&
        ('rows' in file.read ? (
          <ImportDialog file={file.name} rows={file.read.rows} close={() => setFile(null)} />
        ) : (
          <ModelDialog file={file.name} text={file.read.model} close={() => setFile(null)} />
        ))}
    </>
  );
}
