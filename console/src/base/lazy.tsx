// Screens and heavy parts that load when they are first shown.

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ErrorBox } from '../parts/ErrorBox';
import { Spinner } from '../parts/Spinner';
import { faultOfPage } from './faults';

type Loaded<P> = ComponentType<P>;

/** Returns a component that loads the one meant when it is shown. */
export function lazy<P extends object>(load: () => Promise<Loaded<P>>): ComponentType<P> {
  let known: Loaded<P> | null = null;
  return function Lazy(props: P) {
    const [shown, show] = useState<Loaded<P> | null>(() => known);
    const [failed, fail] = useState(false);
    const [tries, again] = useState(0);
    useEffect(() => {
      if (known !== null) return;
      load().then(
        (found) => {
          known = found;
          show(() => found);
        },
        () => fail(true),
      );
    }, [tries]);
    if (shown !== null) {
      const Shown = shown;
      return <Shown {...props} />;
    }
    if (!failed) return <Spinner />;
    const retry = (): void => {
      fail(false);
      again(tries + 1);
    };
    return <ErrorBox fault={faultOfPage('connection', 'A part of this page could not be loaded.')} retry={retry} />;
  };
}
