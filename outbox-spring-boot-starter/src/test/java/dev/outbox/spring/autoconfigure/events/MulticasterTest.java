package dev.outbox.spring.autoconfigure.events;

import static dev.outbox.spring.autoconfigure.Applications.stored;
import static dev.outbox.spring.autoconfigure.events.Shop.inTransaction;
import static dev.outbox.spring.autoconfigure.events.Shop.withoutPolling;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.InvalidTransactionException;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.PublishException;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.spring.autoconfigure.events.Shop.Listeners;
import dev.outbox.spring.autoconfigure.events.Shop.OrderPlaced;
import dev.outbox.testing.TestDatabase;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.support.TaskUtils;

/** Applications that configure how Spring calls listeners. */
class MulticasterTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    @Test
    void eventIsStoredOnThePublishingThreadIfListenersAreAsynchronous() {
        application((multicaster) -> multicaster.setTaskExecutor(new SimpleAsyncTaskExecutor("listener-")))
                .withBean(Listeners.class)
                .run((context) -> {
                    inTransaction(context, () -> context.publishEvent(new OrderPlaced("1")));

                    assertThat(stored(context)).containsExactly("OrderPlaced 1 1");
                    await().untilAsserted(() -> assertThat(context.getBean(Listeners.class).immediate)
                            .containsExactly("1"));
                    assertThatThrownBy(() -> context.publishEvent(new OrderPlaced("2")))
                            .isInstanceOf(InvalidTransactionException.class);
                });
    }

    @Test
    void errorHandlerThatSuppressesRefusalsStopsTheStart() {
        application((multicaster) -> multicaster.setErrorHandler(TaskUtils.LOG_AND_SUPPRESS_ERROR_HANDLER))
                .run((context) -> {
                    assertThat(context)
                            .getFailure()
                            .isInstanceOf(OutboxConfigurationException.class)
                            .hasMessageStartingWith("the ApplicationEventMulticaster "
                                    + SimpleApplicationEventMulticaster.class.getName()
                                    + " suppresses the exceptions of listeners, so an @Outboxed event that cannot be stored"
                                    + " would be lost silently");
                    assertThat(context)
                            .getFailure()
                            .extracting((failure) -> ((OutboxConfigurationException) failure).remedy())
                            .asString()
                            .contains("let the ErrorHandler rethrow PublishException")
                            .contains("set outbox.spring-events.enabled=false");
                });
    }

    @Test
    void errorHandlerMayRethrowRefusals() {
        application((multicaster) -> multicaster.setErrorHandler((failure) -> {
                    if (failure instanceof PublishException refusal) {
                        throw refusal;
                    }
                }))
                .run((context) -> assertThatThrownBy(() -> context.publishEvent(new OrderPlaced("1")))
                        .isInstanceOf(InvalidTransactionException.class));
    }

    @Test
    void multicasterThatAlwaysUsesAnotherThreadStopsTheStart() {
        application(new OtherThread())
                .run((context) -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(OutboxConfigurationException.class)
                        .hasMessageContaining("calls listeners on another thread, where the transaction is missing")
                        .extracting((failure) -> ((OutboxConfigurationException) failure).remedy())
                        .asString()
                        .startsWith(
                                "call a listener whose supportsAsyncExecution() is false on the thread that publishes,"
                                        + " as SimpleApplicationEventMulticaster does;"));
    }

    @Test
    void lazyInitializationDoesNotDeferTheCheck() {
        application(new OtherThread())
                .withInitializer((context) ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run((context) -> assertThat(context).getFailure().isInstanceOf(OutboxConfigurationException.class));
    }

    @Test
    void unsuitableMulticasterIsAcceptedIfSpringEventsAreDisabled() {
        application(new OtherThread())
                .withPropertyValues("outbox.spring-events.enabled=false")
                .run((context) -> assertThat(context).hasNotFailed());
    }

    private ApplicationContextRunner application(Consumer<SimpleApplicationEventMulticaster> settings) {
        SimpleApplicationEventMulticaster multicaster = new SimpleApplicationEventMulticaster();
        settings.accept(multicaster);
        return application(multicaster);
    }

    private ApplicationContextRunner application(SimpleApplicationEventMulticaster multicaster) {
        return withoutPolling(Applications.on(database)).withInitializer((context) -> {
            multicaster.setBeanFactory(context.getBeanFactory());
            context.getBeanFactory()
                    .registerSingleton(AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME, multicaster);
        });
    }

    /** Ignores what a listener says about asynchronous execution, as custom multicasters do. */
    private static final class OtherThread extends SimpleApplicationEventMulticaster {

        @Override
        public void multicastEvent(ApplicationEvent event, @Nullable ResolvableType eventType) {
            new SimpleAsyncTaskExecutor("listener-").execute(() -> {
                try {
                    super.multicastEvent(event, eventType);
                } catch (PublishException expected) {
                    assertThat(expected).isNotNull();
                }
            });
        }
    }
}
