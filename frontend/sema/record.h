// Records, array fields and tuples: taken apart, built and rebuilt while the program is analyzed,
// so that the IR sees scalars only.
#pragma once

#include "frontend/sema/convert.h"

namespace cdsl::sema {

bool is_record(const Operand& x);
const StructInfo* record_type(const Operand& x);

// A place of scalar type becomes the read; other places stay.
Operand loaded(Analysis& a, Place place);
// Field `index` of a record.
Operand field(Analysis& a, const Operand& record, std::size_t index);
// base.name: a field of a record, .re and .im of a complex number.
Operand field_named(Analysis& a, Written base, const ast::Name& name);
Operand tuple_part(Analysis& a, Written base, std::uint32_t index, SourceRange where);
// Element `flat` of an array field.
Operand array_element(Analysis& a, const Operand& array, std::int64_t flat);
// The value of a field when a record is built: converted like a store.
Operand as_field(Analysis& a, Written value, const ElementType& type, const std::string& place);
Operand choose_records(Analysis& a, ExprId condition, Written x, Written y, SourceRange where);

// Point(x: 1, y: 2) and v with (x: 3), given the values of the arguments in order.
struct FieldValue {
  ast::Name name;
  Written value;
};
Operand construct(Analysis& a, const StructInfo& type, std::vector<FieldValue> fields,
                  SourceRange where);
Operand with_fields(Analysis& a, Written base, std::vector<FieldValue> fields);

}  // namespace cdsl::sema
