package dev.outbox;

import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON format of stored payloads, independent of the mapper that an application uses for its web interface. Stored events outlive a
 * deployment, so every setting that changes the JSON is set here and not left to the defaults of a Jackson version.
 *
 * <ul>
 *   <li>Properties have the names of the record components or getters. Unknown properties are ignored.
 *   <li>A primitive that is missing or {@code null} fails. A property without {@code @JsonView} is not part of a view.
 *   <li>Dates, times and durations are ISO 8601 text. An {@code OffsetDateTime} keeps its offset.
 *   <li>Enum constants are stored by name, whatever {@code toString} returns.
 *   <li>Numbers keep all digits, also in a {@code JsonNode}.
 *   <li>Jackson modules that {@link java.util.ServiceLoader} finds are registered, such as that of Kotlin.
 * </ul>
 */
public final class PayloadFormat {

    private PayloadFormat() {}

    /**
     * Returns a new builder with the settings of the format, to add modules or mix-ins.
     *
     * @return the builder
     */
    public static JsonMapper.Builder builder() {
        return JsonMapper.builder()
                .findAndAddModules()
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .disable(MapperFeature.DEFAULT_VIEW_INCLUSION)
                .enable(JsonNodeFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                .disable(EnumFeature.WRITE_ENUMS_USING_TO_STRING, EnumFeature.READ_ENUMS_USING_TO_STRING)
                .disable(EnumFeature.WRITE_ENUMS_USING_INDEX, EnumFeature.WRITE_ENUMS_TO_LOWERCASE)
                .disable(
                        DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS,
                        DateTimeFeature.WRITE_DATE_KEYS_AS_TIMESTAMPS,
                        DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS,
                        DateTimeFeature.WRITE_DATES_WITH_ZONE_ID,
                        DateTimeFeature.WRITE_DATES_WITH_CONTEXT_TIME_ZONE,
                        DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE);
    }

    /**
     * Returns a new mapper of the format.
     *
     * @return the mapper
     */
    public static JsonMapper mapper() {
        return builder().build();
    }
}
