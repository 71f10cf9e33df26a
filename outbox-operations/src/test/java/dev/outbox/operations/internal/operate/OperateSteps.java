package dev.outbox.operations.internal.operate;

/** Statements of operators, for the tests of other packages. */
public final class OperateSteps {

    public static final String RETRY = OperationStore.RETRY;
    public static final String SKIP = OperationStore.SKIP;

    private OperateSteps() {}
}
