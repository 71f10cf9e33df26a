package dev.outbox.spring.autoconfigure;

import static dev.outbox.spring.autoconfigure.FailureReports.analyze;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.OutboxHandler;
import dev.outbox.spring.autoconfigure.Subscriptions.Licensing;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import dev.outbox.testing.TestDatabase;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;

/** Mistakes in handlers: the start fails or warns, and names the method and the way out. */
@ExtendWith(OutputCaptureExtension.class)
class HandlerMistakesTest {

    private final TestDatabase database = Applications.database();

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    static List<Arguments> refused() {
        return List.of(
                Arguments.of(
                        PrivateMethod.class,
                        "is private, so a proxy of its bean cannot forward the call",
                        "Make it package-private."),
                Arguments.of(
                        StaticMethod.class, "is static, but the outbox calls a method of a bean", "Remove static."),
                Arguments.of(
                        FinalMethod.class,
                        "is final, so the proxy of its bean cannot forward the call",
                        "Remove final."),
                Arguments.of(
                        GenericParameter.class,
                        "has parameters that a handler cannot have: parameter 1 is java.util.Optional<"
                                + SubscriptionStarted.class.getName()
                                + ">, whose type parameters the stored event does not tell",
                        "Declare a handler as one of\n"),
                Arguments.of(
                        AsyncMethod.class,
                        "is @Async, so the outbox would record success before the work is done",
                        "Remove @Async: the outbox calls the method after the commit, on a thread of its own."),
                Arguments.of(
                        ModuleListener.class,
                        "is @ApplicationModuleListener, and thereby @Async, so the outbox would record success before the"
                                + " work is done",
                        "Remove @ApplicationModuleListener: the outbox calls the method after the commit, on a thread of its"
                                + " own."),
                Arguments.of(
                        ReturnsValue.class,
                        "returns a value, which the outbox would ignore",
                        "Declare a handler as one of\n"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void methodThatCannotBeHandlerIsNamed(Class<?> bean, String reason, String action) {
        FailureAnalysis analysis =
                analyze(application().withBean("shop", bean).withUserConfiguration(Transactions.class));

        assertThat(analysis.getDescription())
                .startsWith("@OutboxHandler method ")
                .contains(bean.getSimpleName() + ".handle(")
                .endsWith(" of bean 'shop' " + reason + ".");
        assertThat(analysis.getAction()).startsWith(action);
    }

    @Test
    void twoHandlersHaveOneId() {
        FailureAnalysis analysis =
                analyze(application().withBean("one", Licensing.class).withBean("two", Licensing.class));

        assertThat(analysis.getDescription())
                .startsWith("Two handlers have the id 'licensing.extend':\n")
                .contains("bean 'one'", "bean 'two'")
                .endsWith("ids are stored with deliveries and must be unique.");
        assertThat(analysis.getAction()).isEqualTo("Give each handler its own.");
    }

    @Test
    void twoClassesHaveOneSimpleName() {
        FailureAnalysis analysis =
                analyze(application().withBean(Licensing.class).withBean(Namesake.class));

        assertThat(analysis.getDescription())
                .startsWith(
                        "Two classes stand for event type SubscriptionStarted, so each would get the other's events:");
        assertThat(analysis.getAction())
                .isEqualTo("Name another type with @EventType, or mark the class that repeats the other's contract"
                        + " @EventType(copy = true).");
    }

    @Test
    void handlerIsNoBean(CapturedOutput output) {
        Applications.on(database).withBean(Subscriptions.class).run((context) -> {
            new Licensing();
            context.getBean(Subscriptions.class).start("1", "gold");
            assertThat(output).contains("This application has no handlers, so it only publishes");
            assertThat(Applications.count(context, "events.outbox_unpublished")).isOne();
        });
    }

    @Test
    void handlerIdInPropertiesIsMistyped(CapturedOutput output) {
        application()
                .withBean(Licensing.class)
                .withPropertyValues("outbox.handlers[licensing.extnd].timeout=5s")
                .run((context) -> assertThat(output)
                        .contains(
                                "outbox.handlers configures [licensing.extnd], but this application has only the handlers"
                                        + " [licensing.extend]"));
    }

    @Test
    void propertyIsMistyped(CapturedOutput output) {
        application()
                .withPropertyValues("outbox.poller.intervall=1s")
                .run((context) -> assertThat(output)
                        .contains("Property outbox.poller.intervall is unknown and has no effect; did you mean"
                                + " outbox.poller.interval?"));
    }

    @Test
    void beanIsRenamed(CapturedOutput output) {
        leaveDelivery();

        application()
                .withBean("renamed", DefaultId.class)
                .run(
                        (context) -> assertThat(output)
                                .containsPattern(
                                        "No running instance has handler 'original.handle' \\(last heartbeat \\S+\\), and deliveries"
                                                + " of SubscriptionStarted wait for it: 1\\. If it was renamed, add its former id to the new"
                                                + " handler: @OutboxHandler\\(id = \"renamed.handle\", aliases = \"original.handle\"\\)"));
    }

    @Test
    void handlerIsRemoved(CapturedOutput output) {
        leaveDelivery();

        application().withBean(Licensing.class).run((running) -> {
            JdbcClient.create(database.dataSource())
                    .sql("UPDATE events.outbox_subscription SET last_seen_at = now() - interval '11 min'"
                            + " WHERE handler_id = 'original.handle'")
                    .update();
            application()
                    .run((context) -> assertThat(output)
                            .contains(
                                    "If it was removed, expire it: OutboxOperations.expireHandler(\"original.handle\", actor, reason)."
                                            + " Otherwise its deliveries become dead letters from "));
        });
    }

    /** A delivery to the handler {@code original.handle}, which no application has any more. */
    private void leaveDelivery() {
        application()
                .withBean("original", DefaultId.class)
                .withBean(Subscriptions.class)
                .withPropertyValues("outbox.retry.delays=1h,1h")
                .run((context) -> {
                    context.getBean(Subscriptions.class).start("1", "gold");
                    await().until(() -> Applications.count(context, "events.outbox_delivery") == 1);
                });
        // An application that closes slowly leaves its row, and would count as running for a minute.
        JdbcClient.create(database.dataSource())
                .sql("DELETE FROM events.outbox_instance")
                .update();
    }

    private ApplicationContextRunner application() {
        return Applications.on(database);
    }

    static class PrivateMethod {
        @OutboxHandler
        private void handle(SubscriptionStarted event) {}
    }

    static class StaticMethod {
        @OutboxHandler
        static void handle(SubscriptionStarted event) {}
    }

    @Transactional
    static class FinalMethod {
        @OutboxHandler
        public final void handle(SubscriptionStarted event) {}
    }

    static class GenericParameter {
        @OutboxHandler
        void handle(Optional<SubscriptionStarted> event) {}
    }

    static class AsyncMethod {
        @Async
        @OutboxHandler
        void handle(SubscriptionStarted event) {}
    }

    /** Has the name and the marks of the annotation of Spring Modulith. */
    @Async
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    @TransactionalEventListener
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @interface ApplicationModuleListener {}

    static class ModuleListener {
        @ApplicationModuleListener
        @OutboxHandler
        void handle(SubscriptionStarted event) {}
    }

    static class ReturnsValue {
        @OutboxHandler
        boolean handle(SubscriptionStarted event) {
            return true;
        }
    }

    static class Namesake {

        record SubscriptionStarted(int number) {}

        @OutboxHandler
        void handle(SubscriptionStarted event) {}
    }

    static class DefaultId {
        @OutboxHandler
        void handle(SubscriptionStarted event) {
            throw new IllegalStateException("later");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    static class Transactions {}
}
