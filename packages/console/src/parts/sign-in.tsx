/** Asks for the credentials that the worker accepts. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Session, SignIn } from '../worker-api';
import { signInBasic, signInBearer } from '../api/credentials';
import { request, RequestError } from '../api/request';
import { Button } from './button';
import { Field, TextInput } from './form';
import { Icon } from './icon';
import { printable } from './printable';
import { Tabs } from './tabs';

type Method = SignIn['accepts'][number];

export interface SignInFormProps {
  readonly accepts: readonly Method[];
  readonly onSignedIn: (session: Session) => void;
}

export function SignInForm({ accepts, onSignedIn }: SignInFormProps): JSX.Element {
  const [method, setMethod] = useState<Method>(accepts[0] ?? 'basic');
  const [user, setUser] = useState('');
  const [password, setPassword] = useState('');
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (method === 'basic') signInBasic(user, password);
    else signInBearer(token);
    setBusy(true);
    try {
      onSignedIn(await request<Session>('api/session'));
    } catch (error) {
      setProblem(explained(error as Error, method));
    } finally {
      setBusy(false);
    }
  };
  const fields =
    method === 'basic' ? (
      <>
        <Field label="User">
          {(field) => <TextInput {...field} value={user} onChange={setUser} autocomplete="username" />}
        </Field>
        <Field label="Password">
          {(field) => (
            <TextInput
              {...field}
              type="password"
              value={password}
              onChange={setPassword}
              autocomplete="current-password"
            />
          )}
        </Field>
      </>
    ) : (
      <Field label="Token" hint="A JSON Web Token from your identity provider.">
        {(field) => <TextInput {...field} type="password" value={token} onChange={setToken} />}
      </Field>
    );
  return (
    <form class="sign-in" onSubmit={submit}>
      {accepts.length > 1 ? (
        <Tabs
          label="Credentials"
          tabs={accepts.map((key) => ({ key, label: key === 'basic' ? 'HTTP Basic' : 'Bearer token' }))}
          selected={method}
          onSelect={setMethod}
        >
          {fields}
        </Tabs>
      ) : (
        fields
      )}
      <div role="alert" class="sign-in-problem">
        {problem !== null && (
          <p class="problem">
            <Icon name="failed" />
            <span>{printable(problem)}</span>
          </p>
        )}
      </div>
      <Button type="submit" kind="primary" isBusy={isBusy}>
        Sign in
      </Button>
      <p class="hint">Kept in this tab only, until you close it or sign out.</p>
    </form>
  );
}

function explained(error: Error, method: Method): string {
  if (!(error instanceof RequestError)) return 'The worker does not answer. Try again.';
  if (error.status === 401)
    return method === 'basic' ? 'Wrong user or password.' : 'The worker does not accept this token.';
  return error.message;
}
