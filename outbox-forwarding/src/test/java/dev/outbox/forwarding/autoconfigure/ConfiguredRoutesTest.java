package dev.outbox.forwarding.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventContext;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerDefinition.Source;
import dev.outbox.OnDead;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.RetryAfterException;
import dev.outbox.forwarding.internal.Fault;
import dev.outbox.forwarding.internal.MessageTarget;
import dev.outbox.internal.runtime.OutboxDependencies;
import dev.outbox.internal.runtime.RuntimeSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Routes to a broker that the module does not know. The database does not answer. */
@ExtendWith(OutputCaptureExtension.class)
class ConfiguredRoutesTest {

    private static final Broker PIGEON = new Broker("pigeon", "Pigeon Post");

    private final Forwarding forwarding = forwarding("/shop", "shop");

    @Test
    void routeBecomesHandlerThatBlocksBehindDeadLetters(CapturedOutput output) {
        Loft loft = new Loft();
        application(loft)
                .withPropertyValues("outbox.pigeon.routes.orders.aggregate-types=order")
                .run((context) -> {
                    HandlerDefinition handler = context.getBean("outboxPigeonRoute.orders", HandlerDefinition.class);
                    assertThat(handler.id()).isEqualTo("pigeon-orders");
                    assertThat(handler.eventTypes()).containsExactly(HandlerDefinition.ALL_EVENT_TYPES);
                    assertThat(handler.aggregateTypes()).containsExactly("order");
                    assertThat(handler.source()).isEqualTo(Source.ANY);
                    assertThat(handler.onDead()).isEqualTo(OnDead.BLOCK);
                    assertThat(handler.aliases()).containsExactly("pigeon-purchases");
                    assertThat(loft.open).isTrue();
                });

        assertThat(loft.open).isFalse();
        assertThat(output).containsOnlyOnce("Forwarding events to Pigeon Post: orders to loft north");
    }

    @Test
    void withoutRouteNothingIsCreated() {
        application(new Loft())
                .run((context) -> assertThat(context)
                        .doesNotHaveBean(RouteLifecycle.class)
                        .doesNotHaveBean(HandlerDefinition.class));
    }

    @Test
    void routeWithoutBoundPropertySelectsNothing() {
        application(new Loft())
                .withPropertyValues("outbox.pigeon.routes.other.lofd=north")
                .run((context) -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageStartingWith("outbox.pigeon.routes.other selects no events"));
    }

    @Test
    void routeUnknownToAheadOfTimeProcessingFailsTheStart() {
        application(new Loft())
                .withPropertyValues("outbox.pigeon.routes.orders.aggregate-types=order")
                .run((context) -> {
                    RouteHandlers.require(context, PIGEON, Set.of("orders"));
                    assertThatThrownBy(() -> RouteHandlers.require(context, PIGEON, Set.of("refunds")))
                            .isInstanceOf(OutboxConfigurationException.class)
                            .hasMessageStartingWith("outbox.pigeon.routes.refunds was not set when");
                });
    }

    @Test
    void routeSelectsSomething() {
        assertThatThrownBy(() -> routes(forwarding, PIGEON, "a", Settings.ofStreams()))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("set outbox.pigeon.routes.a.event-types")
                .hasMessageContaining("outbox.pigeon.routes.a.streams");
    }

    @Test
    void unknownStreamIsReportedWithItsProperty() {
        assertThatThrownBy(() -> routes(forwarding, PIGEON, "a", Settings.ofStreams("post")))
                .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (ex) -> {
                    assertThat(ex.getName()).isEqualTo("outbox.pigeon.routes.a.streams");
                    assertThat(ex.getReason()).contains("there are only the streams [default]");
                });
    }

    @Test
    void aliasIsNoHandler() {
        Settings settings = new Settings(Set.of(), Set.of("order"), Set.of(), false, List.of("pigeon-purchases"));

        assertThatThrownBy(() -> routes(forwarding, PIGEON, "a", settings))
                .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (ex) -> {
                    assertThat(ex.getName()).isEqualTo("outbox.pigeon.routes.a.aliases");
                    assertThat(ex.getReason()).contains("that of the handler pigeon-purchases is purchases");
                });
    }

    @Test
    void healthHasFaultsOfAllBrokers() throws Exception {
        RouteLifecycle pigeons = routes(forwarding, PIGEON, "orders", Settings.ofStreams("default"));
        RouteLifecycle drums = routes(forwarding, new Broker("drum", "Drums"), "orders", Settings.ofStreams("default"));
        assertThat(forwarding.get()).isEmpty();

        for (RouteLifecycle routes : List.of(pigeons, drums)) {
            assertThatThrownBy(() -> routes.route("orders")
                            .handler()
                            .handle(List.of(), List.of(), (event, cause) -> {}, new Context()))
                    .isInstanceOf(RetryAfterException.class);
        }

        assertThat(forwarding.get().toString())
                .matches("\\{failingRoutes=\\{orders=all destinations: .*; all destinations: .*}}");
    }

    @Test
    void sourceHasNoDefault() {
        assertThat(forwarding("urn:shop", "other").source()).isEqualTo("urn:shop");
        assertThatThrownBy(() -> routes(forwarding(null, "billing"), PIGEON, "a", Settings.ofStreams("default")))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("outbox.forwarding.source is not set")
                .hasMessageEndingWith("for example to /billing");
        assertThatThrownBy(forwarding(" ", "")::source).hasMessageEndingWith("for example to /shop");
    }

    @ParameterizedTest
    @ValueSource(strings = {"my shop", "shop:", "/žižkov", "http://[shop"})
    void sourceIsUriReference(String source) {
        assertThatThrownBy(forwarding(source, "shop")::source)
                .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (ex) -> {
                    assertThat(ex.getName()).isEqualTo("outbox.forwarding.source");
                    assertThat(ex.getReason()).contains("a URI reference, such as /shop");
                });
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnNames("outbox.pigeon.routes")
    static class Pigeons {

        @Bean
        RouteLifecycle outboxPigeonLifecycle(Forwarding forwarding, Loft loft) {
            Settings orders = new Settings(Set.of(), Set.of("order"), Set.of(), true, List.of("purchases"));
            return forwarding.routes(
                    PIGEON, Map.of("orders", orders), loft, Duration.ofMinutes(1), (name, route) -> Object::toString);
        }
    }

    static final class PigeonHandlers extends RouteHandlers {

        PigeonHandlers() {
            super(PIGEON);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Pigeons.class, PigeonHandlers.class})
    static class Application {}

    private ApplicationContextRunner application(Loft loft) {
        return new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withBean(Forwarding.class, () -> forwarding)
                .withBean(Loft.class, () -> loft);
    }

    private static Forwarding forwarding(@Nullable String source, String applicationName) {
        return new Forwarding(
                new OutboxForwardingProperties(source),
                RuntimeSettings.defaults(),
                OutboxDependencies.of(new DriverManagerDataSource("jdbc:postgresql://localhost:1/none")),
                applicationName,
                (event) -> event);
    }

    private static RouteLifecycle routes(Forwarding forwarding, Broker broker, String name, Settings settings) {
        return forwarding.routes(
                broker, Map.of(name, settings), new Loft(), Duration.ofMinutes(1), (route, it) -> Object::toString);
    }

    private record Settings(
            Set<String> eventTypes,
            Set<String> aggregateTypes,
            Set<String> streams,
            boolean forwardReceived,
            List<String> aliases)
            implements RouteSettings {

        private static Settings ofStreams(String... streams) {
            return new Settings(Set.of(), Set.of(), Set.of(streams), false, List.of());
        }

        @Override
        public String destination() {
            return "loft north";
        }
    }

    /** Broker that acknowledges everything. */
    private static final class Loft implements MessageTarget<String> {

        private boolean open;

        @Override
        public void open() {
            open = true;
        }

        @Override
        public String destination(String message) {
            return "north";
        }

        @Override
        public Object unit(String message) {
            return "north";
        }

        @Override
        public CompletionStage<?> send(String message) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public Fault classify(String message, Throwable failure) {
            return new Fault(failure, Fault.Scope.MESSAGE);
        }

        @Override
        public void replace() {}

        @Override
        public void close() {
            open = false;
        }
    }

    private static final class Context implements EventContext {

        @Override
        public int attempt() {
            return 1;
        }

        @Override
        public boolean isLeaseLost() {
            return false;
        }
    }
}
