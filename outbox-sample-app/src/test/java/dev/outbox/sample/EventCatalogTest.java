package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxHandler;
import dev.outbox.OutboxMapper;
import dev.outbox.sample.events.BillingEvent;
import dev.outbox.sample.events.GuildEvent;
import dev.outbox.sample.events.IdentityEvent;
import dev.outbox.sample.events.LicensingEvent;
import dev.outbox.sample.events.MemberEvent;
import dev.outbox.sample.events.RecoveryEvent;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The catalogue of the event flow: every event, what its payload holds, and which contexts subscribe to it, no more and no less. */
@SampleTest
class EventCatalogTest {

    private static final String SERVICE = "dev.outbox.sample.";

    private static final String CATALOG = """
            BotInstalled           | guild_id, installer_user_id                    | licensing, notification, audit
            BotKicked              | guild_id                                       | licensing, billing, audit
            GuildOwnerChanged      | guild_id, old_owner_id, new_owner_id           | notification, audit
            GuildDeleted           | guild_id                                       | licensing, billing, audit
            BillingKeyIssued       | user_id, billing_key_id                        | audit
            BillingKeyDeleted      | user_id, billing_key_id                        | licensing, billing, audit
            SubscriptionStarted    | subscription_id, guild_id, plan_code           | licensing, notification, audit
            PaymentSucceeded       | subscription_id, attempt_id, new_period_end    | licensing, audit
            PaymentFailed          | subscription_id, attempt_id, retry_count       | notification, audit
            PaymentFailedFinal     | subscription_id                                | licensing, notification, audit
            SubscriptionCanceled   | subscription_id, cancel_at_period_end          | notification, audit
            SubscriptionSuspended  | subscription_id, reason                        | licensing, audit
            PlanUpgraded           | subscription_id, old_plan, new_plan            | licensing, notification, audit
            PlanDowngraded         | subscription_id, old_plan, new_plan, effective_at | notification, audit
            LicenseGranted         | license_id, guild_id, plan_code                | audit
            LicenseExtended        | license_id, new_expires_at                     | audit
            LicenseDowngraded      | license_id, old_plan, new_plan                 | notification, audit
            LicenseSuspended       | license_id, reason                             | notification, audit
            LicenseCanceled        | license_id                                     | audit
            SnapshotCreated        | snapshot_id, guild_id, trigger                 | audit
            SnapshotDeleted        | snapshot_id, guild_id                          | audit
            RestoreStarted         | restore_job_id, snapshot_id, guild_id          | notification, audit
            RestoreCompleted       | restore_job_id, result_summary                 | notification, audit
            RestoreFailed          | restore_job_id, error_summary                  | notification, audit
            AntiNukeTriggered      | guild_id, detected_pattern, suspects           | notification, audit
            AntiNukeActioned       | guild_id, actions_taken                        | notification, audit
            MemberJoinedViaWebJoin | member_id, guild_id, slug                      | audit
            MemberRestored         | member_id, guild_id, restored_roles            | audit
            UserRegistered         | user_id, discord_user_id                       | push, audit
            UserSessionCreated     | user_id, session_id                            | audit
            """;

    /** Handlers that carry out the work of their own context, which is no subscription of the catalogue. */
    private static final Set<String> INTERNAL = Set.of("recovery.restore", "recovery.anti-nuke");

    private static final Pattern PASCAL_CASE = Pattern.compile("^([A-Z][a-z0-9]+)+$");
    private static final Pattern PAST_TENSE = Pattern.compile("ed(Final|ViaWebJoin)?$");

    @Autowired
    private ApplicationContext beans;

    @Autowired
    @OutboxMapper
    private JsonMapper json;

    @Test
    void eventsAreThoseOfTheCatalog() {
        assertThat(events().keySet())
                .containsExactlyInAnyOrderElementsOf(catalog(1).keySet());
    }

    @Test
    void eventsAreNamedInThePastTense() {
        assertThat(events().keySet()).allMatch(PASCAL_CASE.asPredicate());
        assertThat(events().keySet()).allMatch(PAST_TENSE.asPredicate());
    }

    @Test
    void payloadsHoldTheFieldsOfTheCatalog() {
        Map<String, Set<String>> fields =
                events().values().stream().collect(Collectors.toMap(Class::getSimpleName, this::fieldsOf));

        assertThat(fields).containsExactlyInAnyOrderEntriesOf(catalog(1));
    }

    @Test
    void subscribersAreThoseOfTheCatalog() {
        Map<String, Set<String>> subscribers = events().keySet().stream()
                .collect(Collectors.toMap(
                        Function.identity(),
                        (event) -> handlerMethods()
                                .filter((method) -> isSubscribed(method, event))
                                .map((method) -> contextOf(method.getDeclaringClass()))
                                .collect(Collectors.toCollection(TreeSet::new))));

        assertThat(subscribers).containsExactlyInAnyOrderEntriesOf(catalog(2));
    }

    private static Map<String, Class<?>> events() {
        return Stream.of(
                        GuildEvent.class,
                        BillingEvent.class,
                        LicensingEvent.class,
                        RecoveryEvent.class,
                        MemberEvent.class,
                        IdentityEvent.class)
                .flatMap(EventCatalogTest::concrete)
                .distinct()
                .collect(Collectors.toMap(Class::getSimpleName, Function.identity()));
    }

    private Stream<Method> handlerMethods() {
        return Stream.of(beans.getBeanDefinitionNames())
                .map((bean) -> AopUtils.getTargetClass(beans.getBean(bean)))
                .filter((type) -> type.getName().startsWith(SERVICE))
                .flatMap((type) -> Stream.of(type.getDeclaredMethods()))
                .filter((method) -> method.isAnnotationPresent(OutboxHandler.class)
                        && !INTERNAL.contains(
                                method.getAnnotation(OutboxHandler.class).id()));
    }

    private static boolean isSubscribed(Method method, String event) {
        List<String> types = List.of(method.getAnnotation(OutboxHandler.class).eventTypes());
        return types.isEmpty()
                ? concrete(method.getParameterTypes()[0])
                        .anyMatch((type) -> type.getSimpleName().equals(event))
                : types.contains(event) || types.contains("*");
    }

    /** The classes that a sealed type permits, or the class itself. */
    private static Stream<Class<?>> concrete(Class<?> type) {
        return type.isSealed()
                ? Stream.of(type.getPermittedSubclasses()).flatMap(EventCatalogTest::concrete)
                : Stream.of(type);
    }

    /** The package of a class, within that of the service. */
    private static String contextOf(Class<?> type) {
        return type.getName().substring(SERVICE.length()).replaceFirst("\\..*", "");
    }

    /** One column of the catalogue by event. */
    private static Map<String, Set<String>> catalog(int column) {
        return CATALOG.lines()
                .map((line) -> line.split("\\|"))
                .collect(Collectors.toMap(
                        (cells) -> cells[0].strip(),
                        (cells) -> new TreeSet<>(List.of(cells[column].strip().split(", ")))));
    }

    private Set<String> fieldsOf(Class<?> event) {
        JsonNode payload = json.valueToTree(anyInstanceOf(event));
        return new TreeSet<>(payload.propertyNames());
    }

    private static Object anyInstanceOf(Class<?> event) {
        try {
            Class<?>[] types = Stream.of(event.getRecordComponents())
                    .map(RecordComponent::getType)
                    .toArray(Class<?>[]::new);
            Constructor<?> constructor = event.getDeclaredConstructor(types);
            return constructor.newInstance(Stream.of(types)
                    .map((type) -> Array.get(Array.newInstance(type, 1), 0))
                    .toArray());
        } catch (ReflectiveOperationException ex) {
            throw new AssertionError(ex);
        }
    }
}
