package dev.outbox.internal.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Logged stack traces show the code of a handler, and what it called. */
class HandlerFramesTest {

    @Test
    void callersAndProxiesAreLeftOut() {
        assertThat(frames(
                        "java.net.Socket",
                        "org.springframework.web.client.RestClient",
                        "com.shop.Mailer",
                        "jdk.internal.reflect.DirectMethodHandleAccessor",
                        "java.lang.reflect.Method",
                        "org.springframework.aop.framework.CglibAopProxy",
                        "org.springframework.transaction.interceptor.TransactionInterceptor",
                        "com.shop.Mailer$$SpringCGLIB$$0",
                        "com.shop.OrderHandlers",
                        "java.lang.reflect.Method",
                        "dev.outbox.spring.autoconfigure.CalledMethod",
                        "dev.outbox.HandlerDefinition",
                        "dev.outbox.internal.dispatch.DecoratedHandlers",
                        "com.shop.TenantInterceptor",
                        "dev.outbox.internal.dispatch.Invocation",
                        "java.lang.Thread"))
                .containsExactly(
                        "java.net.Socket",
                        "org.springframework.web.client.RestClient",
                        "com.shop.Mailer",
                        "com.shop.OrderHandlers");
    }

    @Test
    void refusedPublicationShowsTheHandlerThatPublishes() {
        assertThat(frames(
                        "dev.outbox.internal.publish.TransactionGuard",
                        "dev.outbox.internal.publish.TransactionalOutboxPublisher",
                        "com.shop.OrderHandlers",
                        "dev.outbox.internal.dispatch.Invocation"))
                .containsExactly(
                        "dev.outbox.internal.publish.TransactionGuard",
                        "dev.outbox.internal.publish.TransactionalOutboxPublisher",
                        "com.shop.OrderHandlers");
    }

    @Test
    void failureAroundTheHandlerKeepsItsPlace() {
        assertThat(frames(
                        "org.springframework.aop.Proxy",
                        "java.lang.reflect.Method",
                        "dev.outbox.internal.dispatch.Invocation"))
                .containsExactly("org.springframework.aop.Proxy");
        assertThat(frames("dev.outbox.internal.dispatch.Invocation", "java.lang.Thread"))
                .containsExactly("dev.outbox.internal.dispatch.Invocation", "java.lang.Thread");
    }

    @Test
    void loggedExceptionIsTheOneThrownWithShorterTracesOfItsCausesToo() {
        Exception cause = new IOException("refused");
        Exception ex = new IllegalStateException("down", cause);
        Stream.of(cause, ex)
                .forEach((one) ->
                        one.setStackTrace(trace("com.shop.Mailer", "dev.outbox.internal.dispatch.Invocation")));

        assertThat(Redaction.ofHandler(ex)).isSameAs(ex);
        assertThat(List.of(cause, ex))
                .allSatisfy((one) -> assertThat(one.getStackTrace()).hasSize(1));
    }

    @Test
    void storedTraceShowsWhereTheHandlerBegins() {
        Exception ex = new IllegalStateException("down");
        ex.setStackTrace(
                trace("a.A", "b.B", "c.C", "d.D", "com.shop.Mailer", "dev.outbox.internal.dispatch.Invocation"));

        assertThat(Failure.of("DOWN", ex).trace()).isEqualTo("""
                        java.lang.IllegalStateException
                          at a.A.call(Unknown Source)
                          at b.B.call(Unknown Source)
                          at c.C.call(Unknown Source)
                          …
                          at com.shop.Mailer.call(Unknown Source)
                        """);
    }

    private static List<String> frames(String... classes) {
        return HandlerFrames.of(List.of(trace(classes))).stream()
                .map(StackTraceElement::getClassName)
                .toList();
    }

    private static StackTraceElement[] trace(String... classes) {
        return Stream.of(classes)
                .map((name) -> new StackTraceElement(name, "call", null, 1))
                .toArray(StackTraceElement[]::new);
    }
}
