package dev.outbox.console.browser;

import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Gives tests the one browser and the one application of the run, and skips them by name where no browser is installed. */
final class BrowserExtension implements ExecutionCondition, BeforeEachCallback, ParameterResolver {

    private static final Namespace NAMESPACE = Namespace.create(BrowserExtension.class);

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext test) {
        return Browser.missing()
                .map((missing) ->
                        ConditionEvaluationResult.disabled(test.getDisplayName() + " needs a browser: " + missing))
                .orElseGet(() -> ConditionEvaluationResult.enabled("a browser is installed"));
    }

    @Override
    public void beforeEach(ExtensionContext test) {
        one(test, Shop.class).startOver();
        one(test, Browser.class).startOver();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        Class<?> type = parameter.getParameter().getType();
        return type == Browser.class || type == Shop.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        return one(test, parameter.getParameter().getType());
    }

    private static <T> T one(ExtensionContext test, Class<T> type) {
        var store = test.getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE);
        return type.cast(store.computeIfAbsent(
                type,
                (missing) -> missing == Shop.class
                        ? new Shop()
                        : new Browser(one(test, Shop.class).address())));
    }
}
