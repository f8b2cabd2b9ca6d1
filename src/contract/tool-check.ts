import type { Effect } from "./effect.js";
import type { ToolCtx } from "./tool-handler.js";

declare const MISTAKE: unique symbol;

/** A compile error that explains itself: nothing has this type, and its argument says what to do. */
export interface ToolMistake<Sentence extends string> {
  readonly [MISTAKE]: Sentence;
}

/** `unknown` for an effect, else the mistake. */
export type CheckEffect<E> = [E] extends [Effect]
  ? unknown
  : E extends { readonly prototype: unknown }
    ? ToolMistake<'@Tool needs its effect in parentheses: @Tool("read"), @Tool("idempotent") or @Tool("write").'>
    : ToolMistake<"This is no effect. An effect is read, idempotent or write.">;

/**
 * `unknown` for a class that is a tool, else the first mistake that it makes.
 *
 * The compiler works this out for every tool class of a program, and nearly all of them are right. So the first condition holds
 * for all but a few of those, and rules out at once what would have to be asked one by one.
 */
export type CheckTool<C> = C extends {
  readonly prototype: infer Instance;
  new (...args: never[]): infer Made;
}
  ? unknown extends Instance
    ? CheckShape<C>
    : IsSame<Made, Instance> extends true
      ? CheckMember<C, Instance>
      : CheckShape<C>
  : CheckShape<C>;

type CheckShape<C> = C extends { readonly prototype: infer Instance }
  ? IsAny<Instance> extends true
    ? ToolMistake<"@Tool goes on a class.">
    : CheckClass<C, Instance>
  : ToolMistake<"@Tool goes on a class.">;

type CheckClass<C, Instance> =
  IsAbstract<C> extends true
    ? ToolMistake<"A tool class cannot be abstract: decorate the classes that extend it.">
    : IsGeneric<C, Instance> extends true
      ? ToolMistake<"A tool class cannot be generic: its schema needs one concrete input and output.">
      : CheckMember<C, Instance>;

type CheckMember<C, Instance> = Instance extends { readonly call: infer Call }
  ? Call extends (...args: infer Params) => infer Result
    ? CheckParams<Params> & CheckResult<Result>
    : ToolMistake<"call must be a method: call(ctx, input).">
  : [Instance & { readonly call: unknown }] extends [never]
    ? ToolMistake<"call must be public: remove private.">
    : "call" extends keyof C
      ? ToolMistake<"call must be a method of the instance: remove static.">
      : ToolMistake<"A tool class needs a public method call(ctx, input).">;

type CheckParams<Params extends readonly unknown[]> = number extends Params["length"]
  ? ToolMistake<"call takes two parameters, call(ctx, input): no rest parameter.">
  : Params["length"] extends 2
    ? [ToolCtx] extends [Params[0]]
      ? CheckInput<Params[1]>
      : ToolMistake<"The first parameter of call is the ToolCtx: call(ctx: ToolCtx, input).">
    : Params["length"] extends 0 | 1
      ? ToolMistake<"call takes two parameters, call(ctx, input): declare the input, as Record<string, never> when there is none.">
      : ToolMistake<"call takes two parameters, call(ctx, input): put everything else into the input or the constructor.">;

type CheckInput<Input> =
  IsAny<Input> extends true
    ? ToolMistake<"The input of call is any, which no schema can describe: give it a type.">
    : [Input] extends [never]
      ? ToolMistake<NotAnObject>
      : [Input] extends [object]
        ? Input extends readonly unknown[] | ((...args: never[]) => unknown)
          ? ToolMistake<NotAnObject>
          : unknown
        : ToolMistake<NotAnObject>;

type NotAnObject =
  "The input of call must be an object type: a model calls a tool with named arguments. Wrap it: { value: ... }.";

// Awaited is dear, and only what has an `undefined` or a `then` can become nothing.
type CheckResult<Result> =
  undefined extends Answer<Result>
    ? CheckOutput<Awaited<Result>>
    : [Answer<Result>] extends [{ readonly then: unknown }]
      ? CheckOutput<Awaited<Result>>
      : unknown;

type Answer<Result> = [Result] extends [Promise<infer Output>] ? Output : Result;

type CheckOutput<Output> =
  IsSame<Output, ReturnType<() => void>> extends true
    ? ToolMistake<ReturnsNothing>
    : IsSame<Output, undefined> extends true
      ? ToolMistake<ReturnsNothing>
      : unknown;

type ReturnsNothing = "call returns nothing, which JSON cannot hold: return null, or what happened.";

type IsAny<T> = 0 extends 1 & T ? true : false;

type IsAbstract<C> = C extends abstract new (...args: never[]) => unknown
  ? C extends new (...args: never[]) => unknown
    ? false
    : true
  : false;

// The prototype of a generic class is its instance with `any` for every parameter; what `new` makes is not.
type IsGeneric<C, Instance> = C extends new (...args: never[]) => infer Made
  ? IsSame<Made, Instance> extends true
    ? false
    : true
  : false;

// Two generic functions are assignable only when their conditions are identical, which tells `any` from everything else.
/* eslint-disable @typescript-eslint/no-unnecessary-type-parameters -- T is what makes the functions generic. */
type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/* eslint-enable @typescript-eslint/no-unnecessary-type-parameters */
